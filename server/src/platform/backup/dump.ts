import { pipeline, type Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import type pg from 'pg'
import { z } from 'zod'
import { migrate } from '../database/migrate.ts'
import type { Log } from '../log.ts'
import { copyOut } from './copy.ts'
import type { Bytes } from './encryption.ts'
import { copyRows, fillTables, listSequences, listTables, requireUnused, withClient } from './tables.ts'

// The rows of a database as files, one for each table, in the text format of COPY. The schema is not among them: our
// migrations make it.

export const Dump = z.object({
  migrations: z.array(z.string()),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.number().int(),
      /** The name of its part, without the ending of an encrypted one. */
      part: z.string(),
    }),
  ),
  sequences: z.array(z.object({ name: z.string(), lastValue: z.string() })),
})
export type Dump = z.infer<typeof Dump>

export type OnProgress = (done: number, total: number, table: string) => void

/**
 * Writes every table, all as of the same moment. The service may be running. While this runs, PostgreSQL cannot remove
 * what changed since, so `write` must be fast: to a disk, not to another machine.
 */
export async function dumpDatabase(
  client: pg.Client,
  write: (part: string, rows: Bytes) => Promise<void>,
  onProgress: OnProgress = () => {},
): Promise<Dump> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const { rows: applied } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY name')
  const tables: Dump['tables'] = []
  const all = await listTables(client)
  for (const table of all) {
    const part = `database/${table.name.replaceAll('_', '-')}.copy.gz`
    let rows = 0
    const count = (more: number) => {
      rows += more
    }
    const source = copyOut(client, copyRows(table))
    // Whatever failed is thrown where the end of the chain is read.
    const compressed = pipeline(counting(source, count), createGzip({ level: 1 }), () => {})
    await write(part, compressed)
    tables.push({ ...table, rows, part })
    onProgress(tables.length, all.length, table.name)
  }
  // Sequences know no transactions: what was counted meanwhile is skipped after a restore.
  const sequences = await listSequences(client)
  await client.query('COMMIT')
  return { migrations: applied.map(({ name }) => name), tables, sequences }
}

export interface LoadOptions {
  readonly dump: Dump
  /** The rows of a table, compressed. */
  readonly read: (part: string) => Bytes
  readonly migrationsFolder: string
  readonly log: Log
}

/** Fills a database that no service has used. Loads everything or nothing. */
export async function loadDatabase(url: string, { dump, read, migrationsFolder, log }: LoadOptions): Promise<void> {
  await withClient(url, requireUnused)
  await migrate(url, migrationsFolder, log, { only: new Set(dump.migrations) })
  const partOf = new Map(dump.tables.map(({ name, part }) => [name, part]))
  await withClient(url, async (client) => {
    await client.query('BEGIN')
    await fillTables(client, dump, ({ name }) => pipeline(read(partOf.get(name)!), createGunzip(), () => {}))
    await client.query('COMMIT')
    await client.query('ANALYZE')
  })
}

/** Each row is a line; line breaks in a value are escaped. */
async function* counting(source: Readable, count: (rows: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of source as AsyncIterable<Buffer>) {
    let rows = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows += 1
    count(rows)
    yield chunk
  }
}
