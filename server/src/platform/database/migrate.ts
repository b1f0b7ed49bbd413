import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { StartError } from '../data-dir.ts'
import type { Log } from '../log.ts'
import { createClient } from './client.ts'
import { isProcessSession } from './connection-budget.ts'
import { savePlannerSettings } from './planner-settings.ts'

// Any number works, as long as every process uses the same one.
export const migrationLock = 7_065_511_101

/** Files that were renumbered. A database that applied one under its old name must not apply it again. */
const renamedMigrations: readonly (readonly [oldName: string, newName: string])[] = [
  ['0025-earnings-and-feeds.sql', '0023-earnings-and-feeds.sql'],
  ['0029-catalog-mended-at-once.sql', '0024-catalog-triggers.sql'],
  ['0030-what-readers-keep.sql', '0025-reader-library.sql'],
]

/**
 * A migration that the previous version could not work with, such as one that drops a column: it runs when that version is gone.
 * All others only add, so that both versions can run beside each other.
 */
export const isFinishing = (name: string): boolean => name.endsWith('.post.sql')

export interface MigrateOptions {
  /** Applies these alone, for a backup of an older version. */
  readonly only?: ReadonlySet<string>
  /** Also applies those that end an update. The operator states that no process of the previous version is running. */
  readonly finish?: boolean
}

/**
 * Brings the schema up to date. Migrations only go forward. Each file and the row that records it are one transaction,
 * so after a crash it is either applied or not. If several processes call this at the same time, one migrates and the
 * others wait for it. Returns the names of those that wait for the end of the update.
 */
export async function migrate(
  databaseUrl: string,
  folder: string,
  log: Log,
  { only, finish = false }: MigrateOptions = {},
): Promise<readonly string[]> {
  const files = (await listMigrations(folder)).filter((name) => !only || only.has(name))
  // A separate connection without the time limits of requests. Closing it releases the lock, whatever happened.
  const client = createClient({
    connectionString: databaseUrl,
    application_name: 'pennypost migrations',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {})
  await connect(client)
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock])
    await createMigrations(client)
    await renameMigrations(client)
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY name')
    const applied = new Set(rows.map((row) => row.name))
    requireKnown(rows, files, log)
    const isNew = applied.size === 0
    const pending = files.filter((file) => !applied.has(file))
    const isFinal = finish || isNew || only !== undefined || (!pending.some(isPreparing) && (await isKept(client)))
    const wanted = isFinal ? pending : pending.slice(0, pending.findLastIndex(isPreparing) + 1)
    const skipped = wanted.find(isFinishing)
    if (!isFinal && skipped !== undefined && !(await isAlone(client)))
      throw new StartError(
        `the previous update is not finished: migration ${skipped} waits until every process has that version; then run pennypost migrate --finish`,
      )
    for (const name of wanted) {
      await applyPatiently(client, name, await readFile(join(folder, name), 'utf8'), log)
      // If there was no database before, nothing is reported: all of them are new.
      if (!isNew) log.info({ migration: name }, 'migrated')
    }
    await savePlannerSettings(client, log)
    if (isNew) log.info({ migrations: files.length }, 'the database is prepared')
    const left = pending.filter((name) => !wanted.includes(name))
    if (left.length > 0)
      log.info(
        { migrations: left },
        'these migrations wait for pennypost migrate --finish, or for a start without other processes a day later',
      )
    return left
  } finally {
    await client.end().catch(() => {})
  }
}

/** Since PostgreSQL 15, only its owner may create anything in a new database. */
async function createMigrations(client: pg.Client): Promise<void> {
  try {
    await client.query('CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)')
  } catch (error) {
    if ((error as pg.DatabaseError).code !== '42501') throw error
    const { rows } = await client.query(
      'SELECT quote_ident(current_database()) AS name, quote_ident(current_user) AS role',
    )
    throw new StartError(
      `DATABASE_URL: the role may not create tables; make it the owner: ALTER DATABASE ${rows[0].name} OWNER TO ${rows[0].role}`,
      { cause: error },
    )
  }
}

const isPreparing = (name: string): boolean => !isFinishing(name)

/**
 * The previous version may start on a database that is being updated, so an update can be taken back until it is finished. An older
 * version may not: it does not know what has been dropped.
 */
function requireKnown(rows: readonly { readonly name: string }[], files: readonly string[], log: Log): void {
  const unknown = rows.map(({ name }) => name).filter((name) => !files.includes(name))
  const finished = unknown.find(isFinishing)
  if (finished)
    throw new StartError(
      `the database is newer than this version: it has migration ${finished}; start the newer version`,
    )
  if (unknown.length > 0)
    log.warn(
      { migrations: unknown },
      'the database is being updated to a newer version; this one goes on until that is finished',
    )
}

/**
 * Whether an update may finish automatically: no other process is connected, and a day has passed. A new version that
 * crashes is restarted again and again, and must not remove the possibility of a rollback.
 */
async function isKept(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ old: boolean }>(
    `SELECT max(applied_at) < now() - interval '1 day' AS old FROM migrations`,
  )
  return rows[0]!.old && (await isAlone(client))
}

/** Whether no other process of the service is connected, of any version. */
async function isAlone(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ others: number }>(
    `SELECT count(*)::int AS others FROM pg_stat_activity
     WHERE ${isProcessSession}`,
  )
  return rows[0]!.others === 0
}

export const listMigrations = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()

async function renameMigrations(client: pg.Client): Promise<void> {
  await client.query(
    `UPDATE migrations SET name = renamed.new_name
     FROM unnest($1::text[], $2::text[]) AS renamed (old_name, new_name) WHERE name = renamed.old_name`,
    [renamedMigrations.map(([oldName]) => oldName), renamedMigrations.map(([, newName]) => newName)],
  )
}

/** Connects, or throws an error that names the wrong setting instead of a place in the driver. */
async function connect(client: pg.Client): Promise<void> {
  try {
    await client.connect()
  } catch (error) {
    throw new StartError(`DATABASE_URL: cannot connect to PostgreSQL: ${(error as Error).message}`, { cause: error })
  }
}

// A statement that waits for a lock holds up every reader behind it, so it gives up soon and is tried again. Sooner than
// PostgreSQL looks for deadlocks (`deadlock_timeout`, a second), or it might end the request instead of the migration.
const lockTimeoutMs = 500
const pauseMs = 500
const tries = 300

/** Applies a migration beside running processes: whatever holds a lock is not waited for, and a deadlock is not the end. */
async function applyPatiently(client: pg.Client, name: string, sql: string, log: Log): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await applyMigration(client, name, sql)
    } catch (error) {
      const { code } = error as { code?: string }
      const isLocked = code === '55P03' || code === '40P01'
      const cause = error instanceof Error ? error.message : String(error)
      if (!isLocked || tried === tries) throw new StartError(`migration ${name} failed: ${cause}`)
      log.warn({ migration: name, cause }, 'a migration waits for a lock and will be tried again')
      await wait(pauseMs)
    }
  }
}

async function applyMigration(client: pg.Client, name: string, sql: string): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
    await client.query(sql)
    await client.query('INSERT INTO migrations (name, applied_at) VALUES ($1, now())', [name])
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
