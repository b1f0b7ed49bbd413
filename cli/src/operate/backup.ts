import { resolve } from 'node:path'
import type { Config } from '@pennypost/server/dist/config.js'
import { ask } from '../frame/ask.ts'
import { CliError, usageError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { command } from '../frame/command.ts'
import { loadServer } from './load-server.ts'
import { type Operation, operate, settingsOptions } from './operate.ts'

const load = () => loadServer(() => import('@pennypost/server/dist/operator/backup.js'))
const loadRecover = () => loadServer(() => import('@pennypost/server/dist/operator/recover.js'))
const folder = { name: 'FOLDER', isPath: true, optional: true } as const
/** An argument can be seen by everyone on the machine, so a bucket with its password is a setting. */
const requireFolder = (given: string | undefined, cwd: string): string | undefined => {
  if (given?.includes('://')) throw usageError('FOLDER is a folder. A bucket is named by the setting BACKUP_URL.')
  return given === undefined ? undefined : resolve(cwd, given)
}

export const backup = command({
  name: 'backup',
  summary: 'Back up the database, stored objects, secrets and journal, and read them back',
  description:
    'Writes into a new or empty folder, or without FOLDER into BACKUP_URL, under a name that is the time. The service may be running or stopped. With BACKUP_RECIPIENTS it is encrypted. Without, keep it as secret as DATA_DIR: it holds the keys to money in transit.',
  positionals: [{ ...folder, summary: 'a new or empty folder, instead of BACKUP_URL' }],
  options: {
    ...settingsOptions,
    keep: { type: 'string', value: 'N', summary: 'How many to keep in BACKUP_URL, instead of BACKUP_KEEP' },
  },
  examples: [
    ['pennypost backup', 'a backup into BACKUP_URL; old ones are removed'],
    ['pennypost backup /backups/2026-11-17', 'a backup into a new folder'],
  ],
  async run({ args: { FOLDER }, options }, shell) {
    const target = requireFolder(FOLDER, shell.cwd)
    const keep = readKeep(options.keep, target)
    const { backUp, backUpToFolder } = await load()
    const bar = shell.output.progress('Backing up')
    const onProgress = (done: number, total: number, name: string) => bar.update(done, total, name)
    await operate(shell, options, async ({ config }) => {
      const working = target
        ? backUpToFolder(config, target, onProgress)
        : backUp(config, keep ?? config.backup.keep, onProgress)
      const summary = await working.finally(() => bar.end())
      const { name, rows, tables, files, secrets, isEncrypted, removed } = summary
      const missing = [
        ...(secrets.includes('nano-seed')
          ? []
          : ['The Nano seed is not in DATA_DIR and not in the backup: keep it yourself.']),
        ...(secrets.includes('service-secret') ? [] : ['There is no service-secret in DATA_DIR: keep it yourself.']),
        ...(config.objectStore ? ['Objects are in OBJECT_STORE_URL and not in the backup.'] : []),
      ]
      shell.output.result({ ...summary, notIncluded: missing }, [
        `Backed up ${rows} rows of ${tables} tables and ${files} files to ${name}, ${isEncrypted ? 'encrypted' : 'not encrypted'}, and read them back.`,
        ...(removed.length > 0 ? [`Removed ${removed.length} old ones: ${removed.join(', ')}.`] : []),
        ...missing,
      ])
    })
  },
})

function readKeep(given: string | undefined, folder: string | undefined): number | undefined {
  if (given === undefined) return undefined
  if (folder !== undefined) throw usageError('--keep is for BACKUP_URL, not for a folder.')
  if (!/^[1-9]\d{0,3}$/.test(given)) throw usageError('--keep: must be a number from 1 to 9999.')
  return Number(given)
}

export const backups = command({
  name: 'backups',
  summary: 'List the backups in BACKUP_URL, newest first',
  options: settingsOptions,
  async run({ options }, shell) {
    const { listPlace } = await load()
    await operate(shell, options, async ({ config }) => {
      const found = await listPlace(config)
      const lines = found.map(
        ({ name, isWhole, sizeBytes }) =>
          `${name}  ${isWhole ? 'whole' : 'unfinished'}  ${Math.ceil(sizeBytes / 1024)} KiB`,
      )
      shell.output.result({ backups: found }, lines.length > 0 ? lines : ['There are no backups.'])
    })
  },
})

export const restore = command({
  name: 'restore',
  summary: 'Put a backup into an empty DATA_DIR or database, and recover what was sold since',
  description:
    'Without FOLDER and --name it takes the newest whole backup in BACKUP_URL. Asks for the name of the target first. Files that DATA_DIR already has are kept: copy the newest journal there before. Nothing is changed before all of the backup was checked. Exits with 1 if something needs a person.',
  positionals: [{ ...folder, summary: 'the folder of the backup' }],
  options: {
    ...settingsOptions,
    name: { type: 'string', value: 'NAME', summary: 'The backup of this name in BACKUP_URL' },
    identity: { type: 'string', value: 'FILE', summary: 'The file with the private key, if it is encrypted' },
    'without-recovery': {
      type: 'boolean',
      summary: 'Send nothing and do not query chains: for a trial restore while the service is running',
    },
    yes: { type: 'boolean', short: 'y', summary: 'Do not ask' },
  },
  examples: [
    ['pennypost restore /backups/2026-11-17', 'from a folder'],
    ['pennypost restore --identity key.txt', 'the newest in BACKUP_URL, encrypted'],
  ],
  async run({ args: { FOLDER }, options }, shell) {
    const source = requireFolder(FOLDER, shell.cwd)
    if (source && options.name !== undefined) throw usageError('Give FOLDER or --name, not both.')
    const identity = options.identity === undefined ? undefined : resolve(shell.cwd, options.identity)
    const [{ findBackup, restore: restoreBackup }, { recoverService }] = [await load(), await loadRecover()]
    await operate(shell, options, async (operation) => {
      const { config, log } = operation
      const found = await findBackup(config, { folder: source, name: options.name })
      if (!options.yes) await requireName(shell, config)
      const summary = await restoreBackup(config, log, found, identity)
      shell.output.note(`Restored ${summary.rows} rows and ${summary.files} files, as of ${summary.takenAt}.`)
      if (options['without-recovery'])
        return shell.output.result({ ...summary }, ['Nothing was recovered. Do not start a service from this copy.'])
      const recovery = await runRecovery(shell, operation, recoverService, {})
      shell.output.result({ ...summary, ...recovery }, [summaryOf(recovery), auditLine])
      requireWhole(recovery)
    })
  },
})

export const recover = command({
  name: 'recover',
  summary: 'Recover what a database lost, after a restore or a failover',
  description:
    'Brings back orders, purchases and payments that are in the journal or on the chain. Money whose purpose is lost goes back to its sender. The service may be running or stopped. Safe to repeat. Exits with 1 if something needs a person.',
  options: {
    ...settingsOptions,
    'dry-run': { type: 'boolean', summary: 'Only list what was lost' },
    acknowledge: {
      type: 'boolean',
      summary: 'Recover, and acknowledge what cannot be recovered: alerts and audits no longer report it',
    },
    since: {
      type: 'string',
      value: 'DATE',
      summary:
        'Also try every address given out since then; needed only if the journal is lost, and takes an hour for each day',
    },
  },
  async run({ options }, shell) {
    const since = options.since === undefined ? undefined : new Date(options.since)
    if (since && Number.isNaN(since.getTime()))
      throw usageError(`--since: ${options.since} is not a date; write it like 2026-11-16T10:00:00Z.`)
    if (options['dry-run'] && options.acknowledge) throw usageError('Give --dry-run or --acknowledge, not both.')
    const { recoverService } = await loadRecover()
    await operate(shell, options, async (operation) => {
      const { 'dry-run': isDryRun, acknowledge: isAcknowledging } = options
      const recovery = await runRecovery(shell, operation, recoverService, { isDryRun, isAcknowledging, since })
      const lost = recovery.lines.length
      const lines = isDryRun
        ? [lost === 0 ? 'Nothing was lost.' : `Records lost: ${lost}. Nothing was changed.`]
        : [summaryOf(recovery), auditLine]
      shell.output.result({ isDryRun, ...recovery }, lines)
      requireWhole(recovery)
    })
  },
})

const auditLine = 'Run pennypost audit to check that books and chains agree.'
/** The JSON result lists at most this many lines. */
const maxLines = 10_000

type RecoverService = Awaited<ReturnType<typeof loadRecover>>['recoverService']

async function runRecovery(
  shell: Shell,
  { config, log }: Operation,
  recoverService: RecoverService,
  options: { readonly isDryRun?: boolean; readonly isAcknowledging?: boolean; readonly since?: Date | undefined },
) {
  const lines: string[] = []
  const onLine = (line: string) => {
    shell.output.note(line)
    if (lines.length < maxLines) lines.push(line)
  }
  const onProgress = (line: string) => shell.output.note(line)
  return { ...(await recoverService(config, log, { ...options, onLine, onProgress })), lines }
}

type Recovery = Awaited<ReturnType<typeof runRecovery>>

const summaryOf = ({ recovered, returning, unrecoverable, acknowledged }: Recovery): string =>
  `${recovered} recovered, ${returning} sent back, ${unrecoverable.length} need a person${acknowledged > 0 ? `, ${acknowledged} acknowledged` : ''}`

function requireWhole({ unrecoverable }: Recovery): void {
  if (unrecoverable.length > 0)
    throw new CliError('failed', 'needs-a-person', `Records that need a person: ${unrecoverable.length}.`)
}

/** The name of the target: the folder, or the database without its password. */
function nameOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === undefined) return dataDir
  const [, host = '', database = ''] = /^postgres(?:ql)?:\/\/(?:[^/@]*@)?([^/?]*)\/?([^?]*)/.exec(databaseUrl) ?? []
  return `${host}/${database}`
}

async function requireName(shell: Shell, config: Config): Promise<void> {
  const name = nameOf(config)
  if (shell.input.isTTY !== true)
    throw usageError(`There is no terminal to confirm the restore into ${name}.`, 'Use --yes to skip the question.')
  const given = await ask(shell, `This restores a backup into ${name}. Type its name to go on: `)
  if (given !== name) throw new CliError('usage', 'not-confirmed', 'The name does not match. Nothing was done.')
}
