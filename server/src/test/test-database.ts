import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../platform/database/migrate.ts'
import { createLog } from '../platform/log.ts'
import { migrationsFolder } from '../service.ts'

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

/** Clones the template by copying files, without the WAL: a third of the work, and tests need not survive a crash. */
export async function cloneTestDatabase(): Promise<TestDatabase> {
  return createDatabase('world', `TEMPLATE ${await ensureTemplate()} STRATEGY FILE_COPY`)
}

/** A copy of a database that nobody is connected to: what a dump that was made now would restore. */
export const copyTestDatabase = (url: string): Promise<TestDatabase> =>
  createDatabase('copy', `TEMPLATE ${new URL(url.replace('@/', '@socket/')).pathname.slice(1)} STRATEGY FILE_COPY`)

/** An empty database, for tests of the migrations. */
export const emptyTestDatabase = (): Promise<TestDatabase> => createDatabase('empty', '')

async function createDatabase(kind: string, source: string): Promise<TestDatabase> {
  const name = `${kind}_${randomBytes(8).toString('hex')}`
  await asAdmin((client) => client.query(`CREATE DATABASE ${name} ${source}`))
  return {
    url: urlOf(name),
    drop: () => asAdmin((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)).then(() => {}),
  }
}

// Tables that migrations fill are kept: categories and settings.
let emptied: string | undefined

/** Deletes everything that tests wrote. Skips triggers and foreign keys, because all rows go anyway. */
export async function emptyDatabase(pool: pg.Pool): Promise<void> {
  emptied ??= (await listEmptyTables()).map((table) => `DELETE FROM ${table};`).join('\n')
  const client = await pool.connect()
  try {
    await client.query(`BEGIN; SET LOCAL session_replication_role = replica; ${emptied} COMMIT`)
  } finally {
    client.release()
  }
}

/** Tables that are empty in a newly migrated database. */
async function listEmptyTables(): Promise<string[]> {
  const { url, drop } = await cloneTestDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    const areEmpty = tables.map(({ name }) => `SELECT '${name}' AS name WHERE NOT EXISTS (SELECT FROM ${name})`)
    const { rows: empty } = await client.query<{ name: string }>(areEmpty.join(' UNION ALL '))
    return empty.map(({ name }) => name)
  } finally {
    await client.end()
    await drop()
  }
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

async function asAdmin<T>(act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl() })
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
