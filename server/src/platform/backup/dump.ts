import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import pg from 'pg'
import { z } from 'zod'
import { StartError } from '../data-dir.ts'
import { migrate } from '../database/migrate.ts'
import type { Log } from '../log.ts'
import { copyIn, copyOut } from './copy.ts'

// The rows of a database as files, one for each table, in the text format of COPY. The schema is not among them: our
// migrations make it.

export const Dump = z.object({
  migrations: z.array(z.string()),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.number().int(),
      /** Of the rows, before they are compressed. */
      sha256: z.string(),
    }),
  ),
  sequences: z.array(z.object({ name: z.string(), lastValue: z.string() })),
})
export type Dump = z.infer<typeof Dump>

/** Writes every table into a folder, all as of the same moment. The service may be running. */
export async function dumpDatabase(url: string, folder: string): Promise<Dump> {
  await mkdir(folder, { mode: 0o700 })
  return withClient(url, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const { rows: applied } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY name')
    const tables: Dump['tables'] = []
    for (const table of await listTables(client)) {
      const path = fileOf(folder, table.name)
      const source = measured(copyOut(client, `COPY ${table.name} (${table.columns.join()}) TO STDOUT`))
      await pipeline(source.chunks, createGzip({ level: 1 }), createWriteStream(path, { mode: 0o600, flags: 'wx' }))
      tables.push({ ...table, ...source.measure() })
    }
    // Sequences know no transactions: what was counted meanwhile is skipped after a restore.
    const { rows: sequences } = await client.query<{ name: string; lastValue: string }>(
      `SELECT quote_ident(sequencename) AS name, last_value::text AS "lastValue" FROM pg_sequences
       WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`,
    )
    await client.query('COMMIT')
    const dump = { migrations: applied.map(({ name }) => name), tables, sequences }
    await verifyDump(folder, dump)
    return dump
  })
}

/** Reads every file, and throws if it is not what the dump says. */
export async function verifyDump(folder: string, { tables }: Dump): Promise<void> {
  for (const { name, rows, sha256 } of tables) {
    const { chunks, measure } = measured(readRows(folder, name))
    for await (const _ of chunks);
    const found = measure()
    if (found.rows !== rows || found.sha256 !== sha256) throw new StartError(`${fileOf(folder, name)} is damaged`)
  }
}

/** Fills a database that no service has used. Everything or nothing is loaded. */
export async function loadDatabase(
  url: string,
  { folder, dump, migrationsFolder, log }: { folder: string; dump: Dump; migrationsFolder: string; log: Log },
): Promise<void> {
  await withClient(url, requireUnused)
  await migrate(url, migrationsFolder, log, new Set(dump.migrations))
  await withClient(url, async (client) => {
    await client.query('BEGIN')
    const names = (await listTables(client)).map(({ name }) => name)
    // The rows are consistent as they are, so triggers have nothing to do. Foreign keys are checked at the end.
    const { rows: references } = await client.query<{ table: string; name: string; definition: string }>(
      `SELECT quote_ident(relname) AS table, quote_ident(conname) AS name, pg_get_constraintdef(con.oid) AS definition
       FROM pg_constraint con JOIN pg_class ON pg_class.oid = conrelid
       WHERE contype = 'f' AND relnamespace = current_schema()::regnamespace`,
    )
    for (const { table, name } of references) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
    for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
    // Migrations add some rows.
    await client.query(`TRUNCATE ${names.join()}`)
    for (const { name, columns, rows } of dump.tables) {
      const loaded = await copyIn(client, `COPY ${name} (${columns.join()}) FROM STDIN`, readRows(folder, name))
      if (loaded !== rows) throw new Error(`${name}: ${loaded} of ${rows} rows were loaded`)
    }
    for (const { name, lastValue } of dump.sequences)
      await client.query('SELECT setval($1::regclass, $2)', [name, lastValue])
    for (const name of names) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
    for (const { table, name, definition } of references)
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
    await client.query('COMMIT')
    await client.query('ANALYZE')
  })
}

/** The first start of a service binds its secret to the database. Tables alone may be left of a restore that failed. */
async function requireUnused(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`SELECT to_regclass('service_secret') AS secret`)
  if (rows[0].secret === null) return
  const { rowCount } = await client.query('SELECT FROM service_secret')
  if (rowCount !== 0) throw new StartError('the database is not empty: a service has used it')
}

/** Names are quoted where they have to be. Generated columns and unlogged tables (counters of rate limits) are left out. */
async function listTables(client: pg.Client): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT quote_ident(relname) AS name, array_agg(quote_ident(attname) ORDER BY attnum) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relpersistence = 'p'
     GROUP BY relname ORDER BY relname`,
  )
  return rows
}

const fileOf = (folder: string, table: string): string => join(folder, `${table}.copy.gz`)

const readRows = (folder: string, table: string): Readable => {
  const file = createReadStream(fileOf(folder, table))
  const rows = createGunzip()
  file.on('error', (error) => rows.destroy(error))
  return file.pipe(rows)
}

/** Counts and hashes what is read. Each row is a line; line breaks in a value are escaped. */
function measured(source: Readable) {
  const hash = createHash('sha256')
  let rows = 0
  async function* pass() {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk)
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows += 1
      yield chunk
    }
  }
  return { chunks: pass(), measure: () => ({ rows, sha256: hash.digest('hex') }) }
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'pennypost backup' })
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
