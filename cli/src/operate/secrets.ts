import type { Config } from '@pennypost/server/dist/config.js'
import { CliError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { styled, table } from '../frame/text.ts'
import { loadServer } from './load-server.ts'
import { operate, settingsOptions } from './operate.ts'

const load = () => loadServer(() => import('@pennypost/server/dist/operator/secrets.js'))

/** The database, if it can be asked without starting it. */
async function databaseOf({ databaseUrl, databaseDirectUrl, dataDir }: Config): Promise<string | undefined> {
  if (databaseUrl) return databaseDirectUrl ?? databaseUrl
  const { findRunningDatabase } = await loadServer(
    () => import('@pennypost/server/dist/operator/find-running-database.js'),
  )
  return findRunningDatabase(dataDir)
}

export const secretsList = command({
  name: 'secrets list',
  summary: 'List the secrets of the service by fingerprint, and how each is replaced',
  description:
    'Values are never shown. Two machines of one service must show the same fingerprints. Secrets that the database was first used with are compared with it, if it is running.',
  options: settingsOptions,
  async run({ options }, shell) {
    const { listSecrets } = await load()
    const report = await operate(shell, options, async ({ config, settings }) =>
      listSecrets(config, settings, await databaseOf(config)),
    )
    const rows = report.secrets.map(({ name, fingerprint, isPresent, problem, rotation }) => [
      name,
      fingerprint ?? (isPresent ? '' : 'missing'),
      problem === null ? styled('green', 'right') : styled('red', problem),
      rotation,
    ])
    shell.output.result(report, table(rows, ['Secret', 'Fingerprint', 'State', 'To replace it']))
  },
})

export const secretsCheck = command({
  name: 'secrets check',
  summary: 'Check that every secret is there, private, and belongs to the database',
  description: 'Exits with 1 if one is not.',
  options: settingsOptions,
  async run({ options }, shell) {
    const { listSecrets } = await load()
    const { secrets, isDatabaseAsked } = await operate(shell, options, async ({ config, settings }) =>
      listSecrets(config, settings, await databaseOf(config)),
    )
    const wrong = secrets.filter(({ problem }) => problem !== null)
    const lines = wrong.map(({ name, problem }) => [styled('red', 'WRONG: '), `${name} ${problem}`])
    const asked = isDatabaseAsked ? 'The database was asked.' : 'The database is not running and was not asked.'
    shell.output.result(
      { problems: wrong.map(({ name, problem }) => ({ name, problem })), checked: secrets.length, isDatabaseAsked },
      [...lines, `Checked ${secrets.length} secrets: ${wrong.length} problems. ${asked}`],
    )
    if (wrong.length > 0) throw new CliError('failed', 'findings', `Secrets with a problem: ${wrong.length}.`)
  },
})

export const secretsGenerate = command({
  name: 'secrets generate',
  summary: 'Create the secrets of a new installation in DATA_DIR',
  description:
    'A first start does that too. Use this to create them before, and copy them to every machine. Those that are there stay. It refuses if the database was used with others.',
  options: settingsOptions,
  async run({ options }, shell) {
    const { generateSecrets } = await load()
    await operate(shell, options, async ({ config }) => {
      const secrets = await generateSecrets(config, await databaseOf(config))
      const lines = secrets.map(({ name, isNew }) => `${name}: ${isNew ? 'created' : 'was there'} in ${config.dataDir}`)
      shell.output.result({ dataDir: config.dataDir, secrets }, [...lines, 'Back them up: they cannot be made again.'])
    })
  },
})

const loadRotation = () => loadServer(() => import('@pennypost/server/dist/operator/rotate-secret.js'))

export const secretsRotate = command({
  name: 'secrets rotate',
  summary: 'Replace the service secret, in two steps, without ending a session',
  description:
    'The first step adds a new key that every process accepts and none uses yet. Copy service-secret to every machine and restart every process. The second step, the same command again, has the new key sign; copy and restart again. It refuses while a process that was started before the first step is connected to the database. What older keys signed stays valid until pennypost secrets retire. Webhook secrets, push keys, gift links, checkouts, invitations and links in emails keep the key they have.',
  options: settingsOptions,
  async run({ options }, shell) {
    const { rotateServiceSecret } = await loadRotation()
    await operate(shell, options, async ({ config }) => {
      const step = await rotateServiceSecret(config, new Date(), await databaseOf(config))
      const then = step === 'prepared' ? 'then run this once more' : 'then, after 91 days, run pennypost secrets retire'
      const done =
        step === 'prepared'
          ? 'A new key is accepted from the next start on'
          : 'The new key signs from the next start on'
      shell.output.result({ step }, [
        `${done}: copy service-secret from ${config.dataDir} to every machine, restart every process, ${then}.`,
      ])
    })
  },
})

export const secretsRetire = command({
  name: 'secrets retire',
  summary: 'Remove the older keys of a service secret that was rotated',
  description:
    'Refuses for 91 days after a rotation, as long as a session or a connected program may have a token of an older key. With --force it does not wait: sessions and programs that were not used since end. Copy service-secret to every machine and restart every process.',
  options: {
    ...settingsOptions,
    force: { type: 'boolean', summary: 'Remove them even if tokens signed with them are still in use' },
  },
  async run({ options }, shell) {
    const { removeOlderSecrets } = await loadRotation()
    await operate(shell, options, async ({ config }) => {
      const removed = await removeOlderSecrets(config, new Date(), options.force === true)
      shell.output.result({ removed }, [
        removed === 0 ? 'There are no older keys.' : `Removed ${removed} older keys. Restart every process.`,
      ])
    })
  },
})
