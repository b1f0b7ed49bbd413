import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { StartError } from '../data-dir.ts'
import type { Log } from '../log.ts'

// Any number will do, as long as every process takes the same.
const migrationLock = 7_065_511_101

/**
 * Brings the schema up to date. Forward only; each file is one transaction together with its own row, so a crash leaves
 * it done or not done; several processes may call this at once, one does the work and the others wait.
 */
export async function migrate(databaseUrl: string, folder: string, log: Log): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  // A connection of its own, without the time limits of requests; closing it frees the lock, whatever happened.
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'pennypost migrations',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock])
    await client.query('CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)')
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY name')
    const applied = new Set(rows.map((row) => row.name))
    const unknown = rows.find((row) => !files.includes(row.name))
    if (unknown) {
      throw new StartError(
        `the database is newer than this version: it has migration ${unknown.name}; start the newer version`,
      )
    }
    for (const name of files.filter((file) => !applied.has(file))) {
      await applyMigration(client, name, await readFile(join(folder, name), 'utf8'))
      log.info({ migration: name }, 'migrated')
    }
  } finally {
    await client.end().catch(() => {})
  }
}

async function applyMigration(client: pg.Client, name: string, sql: string): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(sql)
    await client.query('INSERT INTO migrations (name, applied_at) VALUES ($1, now())', [name])
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw new StartError(`migration ${name} failed: ${error instanceof Error ? error.message : error}`)
  }
}
