import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { StartError } from '../data-dir.ts'
import { migrate } from '../database/migrate.ts'
import type { Log } from '../log.ts'
import { copyOut } from './copy.ts'
import { fillTables, listSequences, listTables, requireUnused, withClient } from './tables.ts'

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

export type OnProgress = (done: number, total: number, table: string) => void

/** Writes every table into a folder, all as of the same moment. The service may be running. */
export async function dumpDatabase(url: string, folder: string, onProgress: OnProgress = () => {}): Promise<Dump> {
  await mkdir(folder, { mode: 0o700 })
  return withClient(url, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const { rows: applied } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY name')
    const tables: Dump['tables'] = []
    const all = await listTables(client)
    for (const table of all) {
      const path = fileOf(folder, table.name)
      const source = measured(copyOut(client, `COPY ${table.name} (${table.columns.join()}) TO STDOUT`))
      await pipeline(source.chunks, createGzip({ level: 1 }), createWriteStream(path, { mode: 0o600, flags: 'wx' }))
      tables.push({ ...table, ...source.measure() })
      onProgress(tables.length, all.length, table.name)
    }
    // Sequences know no transactions: what was counted meanwhile is skipped after a restore.
    const sequences = await listSequences(client)
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
  await migrate(url, migrationsFolder, log, { only: new Set(dump.migrations) })
  await withClient(url, async (client) => {
    await client.query('BEGIN')
    await fillTables(client, dump, ({ name }) => readRows(folder, name))
    await client.query('COMMIT')
    await client.query('ANALYZE')
  })
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
