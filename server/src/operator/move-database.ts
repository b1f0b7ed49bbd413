import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { Config } from '../config.ts'
import { copyOut } from '../platform/backup/copy.ts'
import { copyRows, fillTables, isUsed, listSequences, listTables, type Table } from '../platform/backup/tables.ts'
import { systemClock } from '../platform/clock.ts'
import { lockDataDir } from '../platform/data-dir.ts'
import { createClient } from '../platform/database/client.ts'
import { isProcessSession } from '../platform/database/connection-budget.ts'
import { startEmbeddedPostgres } from '../platform/database/embedded-postgres.ts'
import { migrate, migrationLock } from '../platform/database/migrate.ts'
import { migrationLevelOf } from '../platform/database/migration-level.ts'
import { clearMoved, markMoved } from '../platform/database/moved-database.ts'
import { requireSessions } from '../platform/database/require-sessions.ts'
import type { Log } from '../platform/log.ts'
import { postgresUrl } from '../platform/setting-values.ts'
import { migrationsFolder } from '../service.ts'
import { CommandRefused } from './command-refused.ts'
import { compareContents } from './compare-databases.ts'

export interface MoveOptions {
  /** The URL of an external database, or the embedded one in DATA_DIR. */
  readonly to: string | 'embedded'
  readonly log: Log
  /** Cancels the move. The target stays empty. */
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number, total: number, table: string) => void
}

export interface Moved {
  readonly tables: number
  readonly rows: number
  readonly sequences: number
  readonly migrations: number
  /** Whether the target had everything before: an earlier move was interrupted after its end. */
  readonly wasThere: boolean
}

/** One move at a time, of a source and into a target. Any number works. */
const moveLock = 7_065_511_102
const oldestPostgres = 150_000

/**
 * Copies the database of the service, as its settings name it, into another one that is empty. Neither may be in use. The
 * source is only read. The target gets all or nothing, in one transaction, which ends after both were compared.
 */
export async function moveDatabase(config: Config, options: MoveOptions): Promise<Moved> {
  const { to, signal } = options
  if (to === 'embedded' && !config.databaseUrl)
    throw new CommandRefused('The database is the embedded one already: DATABASE_URL is not set.')
  if (to !== 'embedded') {
    const { error } = postgresUrl.safeParse(to)
    if (error) throw new CommandRefused(`TARGET_DATABASE_URL: ${error.issues[0]!.message}.`)
  }
  const from = config.databaseDirectUrl ?? config.databaseUrl
  if (from === undefined) await requireCluster(config.dataDir)
  // Also the folder of a service that is about to use another database: it must not start meanwhile.
  const embedded = from === undefined || to === 'embedded' ? await openEmbedded(config.dataDir) : undefined
  const sessions: pg.Client[] = []
  const abort = () => {
    for (const session of sessions) void session.end().catch(() => {})
  }
  try {
    const source = await open(from ?? embedded!.url, 'the source', sessions)
    const targetUrl = to === 'embedded' ? embedded!.url : to
    const target = await open(targetUrl, 'the target', sessions)
    signal?.addEventListener('abort', abort, { once: true })
    signal?.throwIfAborted()
    const moved = await copyAll(source, target, { ...options, targetUrl })
    if (to === 'embedded') await clearMoved(config.dataDir)
    else if (from === undefined)
      await markMoved(config.dataDir, `${target.database} at ${target.host}`, systemClock().now())
    return moved
  } finally {
    signal?.removeEventListener('abort', abort)
    await Promise.all(sessions.map((session) => session.end().catch(() => {})))
    await embedded?.close()
  }
}

async function copyAll(
  source: pg.Client,
  target: pg.Client,
  { targetUrl, to, log, signal, onProgress = () => {} }: MoveOptions & { readonly targetUrl: string },
): Promise<Moved> {
  if (to !== 'embedded') await requireSuitable(target, targetUrl)
  await lockBoth(source, target)
  await requireIdle(source, 'source')
  await requireIdle(target, 'target')
  await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const { applied, unknown } = await migrationLevelOf(source, migrationsFolder)
  if (applied.length === 0) throw new CommandRefused('The source has no tables: no service has used it.')
  if (unknown[0] !== undefined)
    throw new CommandRefused(`The source is of a newer version: it has migration ${unknown[0]}.`)
  const tables = await listTables(source)
  const contents = { tables, sequences: await listSequences(source) }
  const moved = { tables: tables.length, sequences: contents.sequences.length, migrations: applied.length }
  if (await isUsed(target)) {
    const { differences, rows } = await compareContents(source, target)
    if (differences.length === 0) return { ...moved, rows, wasThere: true }
    throw new CommandRefused('The target is not empty: a service has used it.', 'Create an empty database for it.')
  }
  await requireNothingElse(target)
  await migrate(targetUrl, migrationsFolder, log, { only: new Set(applied) })
  signal?.throwIfAborted()
  await target.query('BEGIN')
  let done = 0
  const countTable = (name: string) => {
    done += 1
    onProgress(done, 2 * tables.length, name)
  }
  const readRows = (table: Table) => copyOut(source, copyRows(table))
  await fillTables(target, contents, readRows, ({ name }) => countTable(name))
  const { differences, rows } = await compareContents(source, target, countTable)
  if (differences[0] !== undefined) throw new Error(`The copy differs from its source: ${differences.join('; ')}`)
  // One that began to start just before our lock was taken could have written what the copy does not have.
  await requireIdle(source, 'source')
  signal?.throwIfAborted()
  await target.query('COMMIT')
  await target.query('ANALYZE')
  return { ...moved, rows, wasThere: false }
}

/** A start waits for the lock of migrations, so none gets further while it is held on the source. */
async function lockBoth(source: pg.Client, target: pg.Client): Promise<void> {
  if (!(await tryLock(source, moveLock)))
    throw new CommandRefused('Another move of this database is running. Wait for it.')
  if (!(await tryLock(target, moveLock)))
    throw new CommandRefused('The target is the source, or another move into it is running.')
  if (!(await tryLock(source, migrationLock)))
    throw new CommandRefused('A service is starting on the source. Stop it first.')
}

async function tryLock(client: pg.Client, key: number): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [key])
  return rows[0]!.got
}

/** Every process of a service has its own session, and every command that writes one with one of these names. */
const namesInUse = ['pennypost', 'pennypost worker', 'pennypost limits', 'pennypost peers']

async function requireIdle(client: pg.Client, which: 'source' | 'target'): Promise<void> {
  // Without this, the view shows what the transaction saw when it first read it.
  await client.query('SELECT pg_stat_clear_snapshot()')
  const { rows } = await client.query<{ sessions: number }>(
    `SELECT count(*)::int AS sessions FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND (application_name = ANY($1) OR ${isProcessSession})`,
    [namesInUse],
  )
  const { sessions } = rows[0]!
  if (sessions > 0)
    throw new CommandRefused(
      `A service or a command is using the ${which}: it has ${sessions} sessions.`,
      'Stop every process of the service, on every machine, and run this again.',
    )
}

async function requireSuitable(target: pg.Client, url: string): Promise<void> {
  const { rows } = await target.query<{ version: number; encoding: string; standby: boolean }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() AS standby`,
  )
  const { version, encoding, standby } = rows[0]!
  if (version < oldestPostgres)
    throw new CommandRefused(`The target is PostgreSQL ${Math.floor(version / 10_000)}. It must be 15 or later.`)
  if (encoding !== 'UTF8') throw new CommandRefused(`The target has the encoding ${encoding}. It must be UTF8.`)
  if (standby) throw new CommandRefused('The target is a standby, which cannot be written to.')
  await requireSessions(url, undefined).catch((error: Error) => {
    throw new CommandRefused(error.message.replaceAll(/\bDATABASE_URL: /g, 'The target '))
  })
}

/** Tables alone may be left of a move that was interrupted: those of our migrations, with no account in them. */
async function requireNothingElse(target: pg.Client): Promise<void> {
  const tables = (await listTables(target)).map(({ name }) => name)
  const isOurs = tables.includes('migrations') || tables.length === 0
  const hasAccounts = tables.includes('accounts') && (await target.query('SELECT FROM accounts LIMIT 1')).rowCount !== 0
  if (!isOurs || hasAccounts)
    throw new CommandRefused(
      `The target is not empty: it has the table ${hasAccounts ? 'accounts' : tables[0]}.`,
      'Create an empty database for it.',
    )
}

async function requireCluster(dataDir: string): Promise<void> {
  const found = await stat(join(dataDir, 'postgres')).catch(() => undefined)
  if (!found) throw new CommandRefused(`There is no database in ${dataDir}.`, 'Set DATA_DIR, or DATABASE_URL.')
}

/** Throws if a service is running in the folder. */
async function openEmbedded(dataDir: string): Promise<{ url: string; close(): Promise<void> }> {
  const lock = await lockDataDir(dataDir, 0)
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} })
    const close = async () => {
      await postgres.stop()
      await lock.release()
    }
    return { url: postgres.url, close }
  } catch (error) {
    await lock.release()
    throw error
  }
}

// Values must be written alike in both, and nobody waits for the end of a copy.
const sessionSettings = `SET TIME ZONE 'UTC'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres';
  SET extra_float_digits = 1; SET bytea_output = 'hex'; SET statement_timeout = 0; SET lock_timeout = 0;
  SET idle_in_transaction_session_timeout = 0`

async function open(url: string, what: string, sessions: pg.Client[]): Promise<pg.Client> {
  const client = createClient({
    connectionString: url,
    application_name: 'pennypost move',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new CommandRefused(`Cannot connect to ${what}: ${(error as Error).message}`)
  }
  sessions.push(client)
  await client.query(sessionSettings)
  return client
}
