import type pg from 'pg'
import type { Config } from '../../config.ts'
import { systemClock } from '../../platform/clock.ts'
import { readConnectionBudget, wantedConnections } from '../../platform/database/connection-budget.ts'
import { isFinishing } from '../../platform/database/migrate.ts'
import { migrationLevelOf } from '../../platform/database/migration-level.ts'
import { requireSessions } from '../../platform/database/require-sessions.ts'
import { migrationsFolder } from '../../service.ts'
import { connectToDatabase } from '../find-running-database.ts'
import { findForeignDatabase } from '../foreign-database.ts'
import { type Check, messageOf, type Report } from './check.ts'

/** Opens a connection with time limits. The caller ends it. */
export type Connect = () => Promise<pg.Client>

const oldestVersion = 150_000

export const checkDatabase = (config: Config, connect: Connect): Check => ({
  area: 'database',
  timeoutMs: 20_000,
  advice: config.databaseUrl ? 'Check DATABASE_URL and PostgreSQL.' : 'Look into DATA_DIR/postgres.log.',
  async run(report, signal) {
    const client = await connect()
    signal.addEventListener('abort', () => void client.end().catch(() => {}))
    await reportServer(report, client, config)
    await reportClock(report, client)
    const foreign = await findForeignDatabase(client, config)
    if (foreign) report.wrong(foreign.detail, foreign.advice)
    else await reportMigrations(report, client)
    await reportExtensions(report, client)
    await client.end()
    if (!config.databaseUrl) return
    await requireSessions(config.databaseUrl, config.databaseDirectUrl).then(
      () =>
        report.ok(
          config.databaseDirectUrl === undefined
            ? 'every connection has its own session: there is no pooler in transaction mode'
            : 'locks, notifications and migrations use DATABASE_DIRECT_URL, which is the same database without a pooler',
        ),
      (error: unknown) => report.wrong(messageOf(error), 'See "Connection pooler" in docs/operations.md.'),
    )
  },
})

/** A replica that cannot be used is no failure: the primary answers then, and nobody else would notice. */
export const checkReplica = ({ databaseReplicaUrl }: Config): Check => ({
  area: 'replica',
  timeoutMs: 10_000,
  advice: 'Check DATABASE_REPLICA_URL. Until then the primary answers all reads.',
  async run(report, signal) {
    if (!databaseReplicaUrl) return report.skip('DATABASE_REPLICA_URL is not set')
    const client = await connectToDatabase(databaseReplicaUrl)
    signal.addEventListener('abort', () => void client.end().catch(() => {}))
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby')
    await client.end()
    if (rows[0]!.standby) report.ok('it is a hot standby')
    else
      report.warn(
        'it is not a standby, so it is not read from',
        'Set DATABASE_REPLICA_URL to a hot standby of the database.',
      )
  },
})

interface Server {
  readonly version: number
  readonly shown: string
  readonly fsync: string
  readonly full_page_writes: string
  readonly synchronous_commit: string
  readonly jit: string
  readonly encoding: string
  readonly standby: boolean
}

async function reportServer(report: Report, client: pg.Client, config: Config): Promise<void> {
  const { rows } = await client.query<Server>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS shown,
       current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
       current_setting('synchronous_commit') AS synchronous_commit, current_setting('jit') AS jit, current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() AS standby`,
  )
  const { version, shown, standby, ...settings } = rows[0]!
  if (version < oldestVersion) report.wrong(`PostgreSQL ${shown} is too old`, 'Use version 15 or later.')
  else report.ok(`PostgreSQL ${shown} responds`)
  if (settings.encoding !== 'UTF8') report.wrong(`its encoding is ${settings.encoding}`, 'Use a database in UTF8.')
  if (standby) report.wrong('it is a standby, which cannot be written to', 'Use the address of the primary.')
  for (const name of ['fsync', 'full_page_writes'] as const)
    if (settings[name] !== 'on')
      report.wrong(`${name} is off: a crash of the machine loses the database`, `Set ${name} = on in PostgreSQL.`)
  if (settings.fsync === 'on' && settings.synchronous_commit === 'off')
    report.wrong('synchronous_commit is off: a crash loses payments that were acknowledged', 'Turn it on.')
  else if (settings.fsync === 'on') report.ok('what is committed is on the disk (fsync, synchronous_commit)')
  if (settings.jit === 'on')
    report.warn('jit is on: PostgreSQL compiles our queries again and again', 'Set jit = off for this database.')
  const { allowed, used, processes, wanted: wantedByAll } = await readConnectionBudget(client, config)
  const wanted = wantedConnections(config)
  const running =
    processes === 0
      ? 'none is running'
      : `the ${processes} that ${processes === 1 ? 'is' : 'are'} running up to ${wantedByAll}`
  const budget = `a process with these settings opens up to ${wanted} connections, ${running}; ${used} of ${allowed} are in use`
  if (wanted > allowed)
    report.wrong(budget, 'Raise max_connections, or lower DATABASE_CONNECTIONS and SEARCH_CONNECTIONS.')
  else if (used > 0.9 * allowed || wantedByAll > allowed)
    report.warn(budget, 'Raise max_connections, use a pooler, or have fewer connections or processes.')
  else report.ok(budget)
}

async function reportClock(report: Report, client: pg.Client): Promise<void> {
  const clock = systemClock()
  const before = clock.now().getTime()
  const { rows } = await client.query<{ at: string }>(`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at`)
  const after = clock.now().getTime()
  const at = Number(rows[0]!.at)
  // It was read at some moment between the two.
  const differenceMs = Math.round(at < before ? at - before : at > after ? at - after : 0)
  const detail = `its clock differs from this machine's by ${Math.abs(differenceMs)} ms`
  const advice = 'Have both machines synchronize their clocks (NTP).'
  if (Math.abs(differenceMs) > 30_000) report.wrong(detail, advice)
  else if (Math.abs(differenceMs) > 2_000) report.warn(detail, advice)
  else report.ok(detail)
}

async function reportMigrations(report: Report, client: pg.Client): Promise<void> {
  const { applied, pending, unknown } = await migrationLevelOf(client, migrationsFolder)
  const [preparing, finishing] = [pending.filter((name) => !isFinishing(name)), pending.filter(isFinishing)]
  if (applied.length === 0) report.skip('it is empty: the first start prepares it')
  else if (unknown.some(isFinishing))
    report.wrong(`it has migrations of a newer version, such as ${unknown[0]}`, 'Start the newer version.')
  else if (unknown.length > 0)
    report.warn(
      `it is being updated to a newer version: it has ${unknown[0]}`,
      'Start the newer version, or go on with this one: that works until pennypost migrate --finish.',
    )
  else if (preparing.length > 0)
    report.warn(
      `${preparing.length} migrations of this version are not applied, the first is ${preparing[0]}`,
      'A start applies them.',
    )
  else if (finishing.length > 0)
    report.warn(
      `the update is not finished: ${finishing[0]} is not applied`,
      'When every process has this version, run pennypost migrate --finish.',
    )
  else report.ok(`all ${applied.length} migrations are applied`)
}

async function reportExtensions(report: Report, client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ installed: boolean; available: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') AS installed,
       EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') AS available`,
  )
  const { installed, available } = rows[0]!
  if (installed) report.ok('the extension pg_trgm is installed')
  else if (available) report.ok('the extension pg_trgm can be installed')
  else report.wrong('the extension pg_trgm is not available', 'Install the contrib package of PostgreSQL.')
}
