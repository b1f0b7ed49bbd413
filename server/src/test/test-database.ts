import { createHash, randomBytes, randomInt } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { migrate } from '../platform/database/migrate.ts'
import { createLog } from '../platform/log.ts'
import { migrationsFolder } from '../service.ts'
import { closePooled } from './engines.ts'

// Every world has its own database, cloned from a template that is migrated once.

const serverUrl = (): string => {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('TEST_DATABASE_URL is not set: run the tests with `npm test`')
  return url
}

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/**
 * A newly migrated database. If a world of this process has left one, that is used again: copying a database takes as
 * much of the processor as most tests do.
 */
export async function cloneTestDatabase(): Promise<TestDatabase> {
  await ensureMigrated()
  const name = idle.pop() ?? (await createClone())
  return { url: urlOf(name), drop: () => recycle(name) }
}

/** Clones the template by copying files, without the WAL: a third of the work, and tests need not survive a crash. */
async function createClone(): Promise<string> {
  const name = nameFor('world')
  await asAdmin(async (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${await ensureTemplate()} STRATEGY FILE_COPY`),
  )
  return name
}

/** A copy of a database that nobody is connected to: what a dump that was made now would restore. */
export async function copyTestDatabase(url: string): Promise<TestDatabase> {
  const name = new URL(url.replace('@/', '@socket/')).pathname.slice(1)
  await closePooled(name)
  return createDatabase('copy', `TEMPLATE ${name} STRATEGY FILE_COPY`)
}

/** An empty database, for tests of the migrations. */
export const emptyTestDatabase = (): Promise<TestDatabase> => createDatabase('empty', '')

async function createDatabase(kind: string, source: string): Promise<TestDatabase> {
  const name = nameFor(kind)
  await asAdmin((client) => client.query(`CREATE DATABASE ${name} ${source}`))
  return { url: urlOf(name), drop: () => dropDatabase(name) }
}

const nameFor = (kind: string): string => `${kind}_${randomBytes(8).toString('hex')}`

const dropDatabase = async (name: string): Promise<void> => {
  await asAdmin((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
}

// Databases of this process that are as good as new.
const idle: string[] = []
const maxIdle = 4
// Deleted rows leave their space behind, and a larger table may be read in another way.
const maxGrownBytes = 8 * 1024 * 1024

/** Empties a database for the next world, or drops it if it is not as it was after the migrations. */
async function recycle(name: string): Promise<void> {
  await closePooled(name)
  const isNew = idle.length < maxIdle && (await onDatabase(name, renew).catch(() => false))
  if (isNew) idle.push(name)
  else await dropDatabase(name)
}

async function renew(client: pg.Client): Promise<boolean> {
  const { tables, fingerprint, sizeBytes } = await ensureMigrated()
  if (!(await isUnused(client))) return false
  const found = await readFingerprint(client, tables.filled)
  if (found.fingerprint !== fingerprint || found.sizeBytes > sizeBytes + maxGrownBytes) return false
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) name WHERE pg_relation_size(name::regclass) > 0`,
    [tables.empty],
  )
  await client.query(deleteAll(rows.map(({ name }) => name)))
  await client.query('SELECT setval(seqrelid, seqstart, false) FROM pg_sequence')
  return true
}

/** Waits for connections that are being closed, on a busy machine for seconds. One that stays may belong to a process that still writes. */
async function isUnused(client: pg.Client): Promise<boolean> {
  const others = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
  for (let tries = 0; tries < 300; tries += 1) {
    if ((await client.query(others)).rowCount === 0) return true
    await wait(10)
  }
  return false
}

// Processes remember which words are in this table, until it is another one. TRUNCATE makes it another one.
const emptied = (table: string): string =>
  table.endsWith('search_words') ? `TRUNCATE ${table};` : `DELETE FROM ${table};`

/** Deletes all rows of these tables. Skips triggers and foreign keys, because all rows go anyway. */
const deleteAll = (tables: readonly string[]): string =>
  `BEGIN; SET LOCAL session_replication_role = replica; ${tables.map(emptied).join(' ')} COMMIT`

/**
 * Deletes everything that tests wrote. The table of applied migrations is kept. The catalog gets a version that it never
 * had: otherwise the service would take lists of deleted posts, which it still has in memory, for current ones.
 */
export async function emptyDatabase(pool: pg.Pool): Promise<void> {
  const { tables } = await ensureMigrated()
  const client = await pool.connect()
  try {
    await client.query(deleteAll(tables.empty))
    await client.query(`INSERT INTO catalog_counts VALUES ('content', -1, $1), ('version', -1, $1)`, [
      randomInt(2 ** 47),
    ])
  } finally {
    client.release()
  }
}

/** The state of a newly migrated database. */
interface Migrated {
  readonly tables: { readonly empty: readonly string[]; readonly filled: readonly string[] }
  readonly fingerprint: string
  readonly sizeBytes: number
}

let migrated: Promise<Migrated> | undefined

function ensureMigrated(): Promise<Migrated> {
  migrated ??= readMigrated()
  return migrated
}

async function readMigrated(): Promise<Migrated> {
  const name = await createClone()
  const found = await onDatabase(name, async (client) => {
    const tables = await listTables(client)
    return { tables, ...(await readFingerprint(client, tables.filled)) }
  })
  idle.push(name)
  return found
}

async function listTables(client: pg.Client): Promise<Migrated['tables']> {
  const { rows: all } = await client.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  )
  const areFilled = all.map(({ name }) => `SELECT '${name}' AS name, EXISTS (SELECT FROM ${name}) AS filled`)
  const { rows } = await client.query<{ name: string; filled: boolean }>(areFilled.join(' UNION ALL '))
  const named = (filled: boolean) => rows.filter((row) => row.filled === filled).map(({ name }) => name)
  return { empty: named(false), filled: named(true) }
}

/**
 * Changes with every change of the schema and of the rows that migrations wrote: each has the number of the transaction
 * that wrote it.
 */
async function readFingerprint(client: pg.Client, filled: readonly string[]) {
  const catalogs = ['class', 'attribute', 'attrdef', 'constraint', 'index', 'trigger', 'proc', 'type', 'namespace']
  const counted = [...catalogs.map((name) => `pg_${name}`), ...filled]
  const parts = counted.map((table) => `(SELECT count(*) || ' ' || sum(xmin::text::bigint) FROM ${table})`)
  const settings = `(SELECT count(*)::text FROM pg_db_role_setting
    WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))`
  const { rows } = await client.query<{ fingerprint: string; size: string }>(
    `SELECT concat_ws(', ', ${[...parts, settings].join(', ')}) AS fingerprint,
       pg_database_size(current_database()) AS size`,
  )
  return { fingerprint: rows[0]!.fingerprint, sizeBytes: Number(rows[0]!.size) }
}

let ensured: Promise<string> | undefined

function ensureTemplate(): Promise<string> {
  ensured ??= makeTemplate()
  return ensured
}

// Test files run in several processes. The first one creates the template under a lock, the others reuse it.
async function makeTemplate(): Promise<string> {
  const name = `template_${await migrationsDigest()}`
  await asAdmin(async (client) => {
    await client.query('SELECT pg_advisory_lock(42)')
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rowCount) return
    await client.query(`DROP DATABASE IF EXISTS ${name}_new`)
    await client.query(`CREATE DATABASE ${name}_new`)
    await migrate(urlOf(`${name}_new`), migrationsFolder, createLog('silent'))
    await client.query(`ALTER DATABASE ${name}_new RENAME TO ${name}`)
  })
  return name
}

async function migrationsDigest(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of (await readdir(migrationsFolder)).sort())
    hash.update(file).update(await readFile(join(migrationsFolder, file)))
  return hash.digest('hex').slice(0, 12)
}

const asAdmin = <T>(act: (client: pg.Client) => Promise<T>): Promise<T> => connected(serverUrl(), act)

const onDatabase = <T>(name: string, act: (client: pg.Client) => Promise<T>): Promise<T> => connected(urlOf(name), act)

async function connected<T>(url: string, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await act(client)
  } finally {
    await client.end()
  }
}

function urlOf(database: string): string {
  const url = new URL(serverUrl().replace('@/', '@socket/'))
  url.pathname = `/${database}`
  return url.href.replace('@socket/', '@/')
}
