import type pg from 'pg'
import { listSequences, listTables, type Table } from '../platform/backup/tables.ts'

export interface Comparison {
  /** A phrase for each difference. Empty if both are the same. */
  readonly differences: readonly string[]
  /** How many rows the first one has. */
  readonly rows: number
}

/**
 * Compares two databases: migrations, tables with the number of their rows and a checksum of them, and sequences. Both
 * servers compute their checksums, so no row is sent. Both sessions must have the same settings for the text of values.
 */
export async function compareContents(
  one: pg.Client,
  other: pg.Client,
  onTable: (name: string) => void = () => {},
): Promise<Comparison> {
  const differences: string[] = []
  let rows = 0
  const [tables, others] = [await listTables(one), await listTables(other)]
  if (JSON.stringify(tables) !== JSON.stringify(others)) return { differences: ['their tables differ'], rows }
  for (const table of tables) {
    const [found, copied] = await Promise.all([digestOf(one, table), digestOf(other, table)])
    rows += Number(found.rows)
    if (found.rows !== copied.rows) differences.push(`${table.name} has ${found.rows} rows and ${copied.rows}`)
    else if (found.digest !== copied.digest) differences.push(`the rows of ${table.name} differ`)
    onTable(table.name)
  }
  const [counted, recounted] = [await listSequences(one), await listSequences(other)]
  for (const { name, lastValue } of counted) {
    const found = recounted.find((sequence) => sequence.name === name)?.lastValue
    if (found !== lastValue) differences.push(`the sequence ${name} is at ${lastValue} and ${found ?? 'not used'}`)
  }
  return { differences, rows }
}

/**
 * The sum of a hash of each row, so that their order does not matter: PostgreSQL may store a copy in another one. Adding
 * instead of XOR notices a row that is there twice.
 */
async function digestOf(client: pg.Client, { name, columns }: Table): Promise<{ rows: string; digest: string }> {
  const hash = `substr(encode(sha256(convert_to(ROW(${columns.join()})::text, 'UTF8')), 'hex'), 1, 16)`
  const { rows } = await client.query<{ rows: string; digest: string }>(
    `SELECT count(*)::text AS rows, coalesce(sum(('x' || ${hash})::bit(64)::bigint), 0)::text AS digest FROM ${name}`,
  )
  return rows[0]!
}
