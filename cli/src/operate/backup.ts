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
const folder = { name: 'FOLDER', summary: 'the folder of the backup', isPath: true } as const

export const backup = command({
  name: 'backup',
  summary: 'Back up the database, stored objects, secrets and journal, and read them back',
  description:
    'Writes into a new or empty folder. The service may be running or stopped. Keep the folder as secret as DATA_DIR: it holds the keys to money in transit.',
  positionals: [folder],
  options: settingsOptions,
  examples: [['pennypost backup /backups/2026-11-17', 'a backup into a new folder']],
  async run({ args: { FOLDER }, options }, shell) {
    const { backUp } = await load()
    const bar = shell.output.progress('Backing up')
    const onProgress = (done: number, total: number, name: string) => bar.update(done, total, name)
    await operate(shell, options, async ({ config }) => {
      const summary = await backUp(config, resolve(shell.cwd, FOLDER), onProgress).finally(() => bar.end())
      const { rows, tables, files } = summary
      const missing = [
        ...(config.nano.seed === undefined ? [] : ['NANO_SEED is a setting and not in the backup: keep it yourself.']),
        ...(config.objectStore ? ['Objects are in OBJECT_STORE_URL and not in the backup.'] : []),
      ]
      shell.output.result({ folder: resolve(shell.cwd, FOLDER), ...summary, notIncluded: missing }, [
        `Backed up ${rows} rows of ${tables} tables and ${files} files to ${FOLDER}, and read them back.`,
        ...missing,
      ])
    })
  },
})

export const restore = command({
  name: 'restore',
  summary: 'Put a backup into an empty DATA_DIR or database, and recover what was sold since',
  description:
    'Asks for the name of the target first. Files that DATA_DIR already has are kept: copy the newest journal there before. Exits with 1 if something needs a person.',
  positionals: [folder],
  options: { ...settingsOptions, yes: { type: 'boolean', short: 'y', summary: 'Do not ask' } },
  async run({ args: { FOLDER }, options }, shell) {
    const [{ restore: restoreBackup }, { recoverService }] = [await load(), await loadRecover()]
    await operate(shell, options, async (operation) => {
      const { config, log } = operation
      if (!options.yes) await requireName(shell, config)
      const summary = await restoreBackup(config, log, resolve(shell.cwd, FOLDER))
      shell.output.note(`Restored ${summary.rows} rows and ${summary.files} files, as of ${summary.takenAt}.`)
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
    since: {
      type: 'string',
      value: 'DATE',
      summary: 'Also try every address given out since then; needed only if the journal is lost, an hour for each day',
    },
  },
  async run({ options }, shell) {
    const since = options.since === undefined ? undefined : new Date(options.since)
    if (since && Number.isNaN(since.getTime()))
      throw usageError(`--since: ${options.since} is not a date; write it like 2026-11-16T10:00:00Z.`)
    const { recoverService } = await loadRecover()
    await operate(shell, options, async (operation) => {
      const isDryRun = options['dry-run']
      const recovery = await runRecovery(shell, operation, recoverService, { isDryRun, since })
      const lost = recovery.lines.length
      const lines = isDryRun
        ? [lost === 0 ? 'Nothing was lost.' : `${lost} records were lost. Nothing was changed.`]
        : [summaryOf(recovery), auditLine]
      shell.output.result({ isDryRun, ...recovery }, lines)
      requireWhole(recovery)
    })
  },
})

const auditLine = 'Run pennypost audit to check that books and chains agree.'
/** A machine that reads the result gets the first of them. */
const mostLines = 10_000

type RecoverService = Awaited<ReturnType<typeof loadRecover>>['recoverService']

async function runRecovery(
  shell: Shell,
  { config, log }: Operation,
  recoverService: RecoverService,
  options: { readonly isDryRun?: boolean; readonly since?: Date | undefined },
) {
  const lines: string[] = []
  const onLine = (line: string) => {
    shell.output.note(line)
    if (lines.length < mostLines) lines.push(line)
  }
  return { ...(await recoverService(config, log, { ...options, onLine })), lines }
}

type Recovery = Awaited<ReturnType<typeof runRecovery>>

const summaryOf = ({ recovered, returning, unrecoverable }: Recovery): string =>
  `${recovered} recovered, ${returning} sent back, ${unrecoverable.length} need a person`

function requireWhole({ unrecoverable }: Recovery): void {
  if (unrecoverable.length > 0)
    throw new CliError('failed', 'needs-a-person', `${unrecoverable.length} records need a person.`)
}

/** What is restored into: the folder, or the database without its password. */
function nameOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === undefined) return dataDir
  const [, host = '', database = ''] = /^postgres(?:ql)?:\/\/(?:[^/@]*@)?([^/?]*)\/?([^?]*)/.exec(databaseUrl) ?? []
  return `${host}/${database}`
}

async function requireName(shell: Shell, config: Config): Promise<void> {
  const name = nameOf(config)
  if (shell.input.isTTY !== true)
    throw usageError(`Nobody can be asked whether to restore into ${name}.`, 'With --yes nobody is asked.')
  const given = await ask(shell, `This restores a backup into ${name}. Type its name to go on: `)
  if (given !== name) throw new CliError('usage', 'not-confirmed', 'That is another name. Nothing was done.')
}
