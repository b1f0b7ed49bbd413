import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Log } from '../log.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export interface Database {
  readonly db: Db
  readonly pool: pg.Pool
  close(): Promise<void>
}

/** One pool for the process; queries and jobs share it. */
export function openDatabase(url: string, log: Log): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 20,
    // Waiting longer than this for a connection helps nobody: the request is answered 503 and may come again.
    connectionTimeoutMillis: 5_000,
    application_name: 'pennypost',
  })
  // A connection that breaks while idle; the pool replaces it.
  pool.on('error', (error) => log.warn({ cause: error.message }, 'an idle database connection broke'))
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, close: () => db.destroy() }
}

/** A query that runs for every request: planned once on each connection, under a name. */
export interface Statement<Row extends pg.QueryResultRow> {
  readonly name: string
  readonly text: string
  readonly row?: Row
}

export async function readRows<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: Statement<Row>,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>({ name: statement.name, text: statement.text, values })
  return rows
}

// 08: connection; 57P: shut down or starting; 53: out of connections, memory or disk; 25006: read-only standby.
const unavailableStates = /^(08|57P|53|25006)/
const unavailableCauses = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** Whether an error says that the database is away, not that the query was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as Error & { code?: unknown; syscall?: unknown }
  if (typeof code === 'string') {
    return unavailableStates.test(code) || (unavailableCauses.has(code) && syscall !== undefined)
  }
  // node-postgres gives these no code.
  return /^(timeout exceeded when trying to connect|Connection terminated)/.test(error.message)
}
