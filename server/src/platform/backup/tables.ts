import type { Readable } from 'node:stream'
import type pg from 'pg'
import { StartError } from '../data-dir.ts'
import { createClient } from '../database/client.ts'
import { copyIn } from './copy.ts'

// Lists the tables of a database, and fills all of them in one transaction.

export interface Table {
  /** Quoted where it has to be, like the names of its columns. */
  readonly name: string
  readonly columns: readonly string[]
}

export interface Sequence {
  readonly name: string
  readonly lastValue: string
}

export interface Contents {
  readonly tables: readonly (Table & { readonly rows?: number })[]
  readonly sequences: readonly Sequence[]
}

/**
 * Generated columns and unlogged tables (counters of rate limits) are left out. So are partitions: their rows are those of the
 * table that they belong to, and another database may divide it in another way.
 */
export async function listTables(client: pg.Client): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT quote_ident(relname) AS name, array_agg(quote_ident(attname) ORDER BY attnum) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relpersistence = 'p'
     GROUP BY relname ORDER BY relname COLLATE "C"`,
  )
  return rows
}

/** PostgreSQL copies the rows of a table that has partitions only as those of a query. */
export const copyRows = ({ name, columns }: Table): string => `COPY (SELECT ${columns.join()} FROM ${name}) TO STDOUT`

/** The table that each partition belongs to. */
async function listPartitions(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; table: string }>(
    `SELECT quote_ident(partition.relname) AS name, quote_ident(whole.relname) AS table
     FROM pg_class partition JOIN pg_class whole ON whole.oid = pg_partition_root(partition.oid)
     WHERE partition.relnamespace = current_schema()::regnamespace AND partition.relkind = 'r' AND partition.relispartition`,
  )
  return new Map(rows.map(({ name, table }) => [name, table]))
}

/** Makes the partitions that the rows will need: their bounds follow from the sequences. */
async function makePartitions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ known: boolean }>(`SELECT to_regproc('make_partitions') IS NOT NULL AS known`)
  if (rows[0]!.known) await client.query('SELECT make_partitions()')
}

/** Sequences that were used. */
export async function listSequences(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string; lastValue: string }>(
    `SELECT quote_ident(sequencename) AS name, last_value::text AS "lastValue" FROM pg_sequences
     WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename COLLATE "C"`,
  )
  return rows
}

/** Replaces the rows of all tables, in the transaction of the client. */
export async function fillTables(
  client: pg.Client,
  { tables, sequences }: Contents,
  readRows: (table: Table) => Readable,
  onTable: (table: Table, rows: number) => void = () => {},
): Promise<void> {
  for (const { name, lastValue } of sequences) await client.query('SELECT setval($1::regclass, $2)', [name, lastValue])
  await makePartitions(client)
  const partitions = await listPartitions(client)
  // A backup by the previous version, which did not know partitions, has each of them as a table.
  const tableOf = (name: string): string => partitions.get(name) ?? name
  const known = await listTables(client)
  for (const { name, columns } of tables) requireKnown({ name: tableOf(name), columns }, known)
  const names = known.map(({ name }) => name)
  const withTriggers = [...names, ...partitions.keys()]
  // The rows are consistent as they are, so triggers have nothing to do. Foreign keys are checked at the end.
  const { rows: references } = await client.query<{ table: string; name: string; definition: string }>(
    `SELECT quote_ident(relname) AS table, quote_ident(conname) AS name, pg_get_constraintdef(con.oid) AS definition
     FROM pg_constraint con JOIN pg_class ON pg_class.oid = conrelid
     WHERE contype = 'f' AND conparentid = 0 AND relnamespace = current_schema()::regnamespace`,
  )
  for (const { table, name } of references) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  for (const name of withTriggers) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
  // Migrations add some rows.
  await client.query(`TRUNCATE ${names.join()}`)
  for (const table of tables) {
    const { name, columns, rows } = table
    const loaded = await copyIn(client, `COPY ${tableOf(name)} (${columns.join()}) FROM STDIN`, readRows(table))
    if (rows !== undefined && loaded !== rows) throw new Error(`${name}: ${loaded} of ${rows} rows were loaded`)
    onTable(table, loaded)
  }
  for (const name of withTriggers) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
  for (const { table, name, definition } of references)
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
}

/** Names become part of statements. A backup may come from anyone, so only names of our schema are used. */
function requireKnown({ name, columns }: Table, known: readonly Table[]): void {
  const table = known.find((each) => each.name === name)
  if (!table || !columns.every((column) => table.columns.includes(column)))
    throw new StartError(
      `there is no table ${JSON.stringify(name)} with these columns: this is not a backup of Pennypost`,
    )
}

/** The first start of a service binds its secret to the database. Tables alone may be left of a restore that failed. */
export async function requireUnused(client: pg.Client): Promise<void> {
  if (await isUsed(client))
    throw new StartError(
      'the database is not empty: a service has used it, or a backup was restored. To finish a restore that was interrupted, run pennypost recover',
    )
}

export async function isUsed(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ secret: string | null }>(`SELECT to_regclass('service_secret') AS secret`)
  if (rows[0]!.secret === null) return false
  const { rowCount } = await client.query('SELECT FROM service_secret')
  return rowCount !== 0
}

export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = createClient({ connectionString: url, application_name: 'pennypost backup' })
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
