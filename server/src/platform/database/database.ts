import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, type Transaction } from 'kysely'
import pg from 'pg'
import type { Log } from '../log.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export interface Database {
  readonly db: Db
  readonly pool: pg.Pool
  /** For full-text searches: few at a time, so that they leave the others connections, and planned as they must be. */
  readonly searchPool: pg.Pool
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Nobody waits for an answer: it may take as long as it takes. */
  readonly withoutTimeLimits?: true
}

/** One pool for the process; queries and jobs share it. */
export function openDatabase(url: string, log: Log, { withoutTimeLimits: isPatient }: DatabaseOptions = {}): Database {
  const pool = openPool(url, log, 20, { isPatient })
  // The planner believes that testing an array is free, and would rather fetch a thousand than ask the index.
  const searchPool = openPool(url, log, 4, { settings: searchSettings })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: evicting(pool) }) })
  // Not db.destroy(): it leaves the pool open where no query went through it yet.
  const close = async () => {
    await Promise.all([pool.end(), searchPool.end()])
  }
  return { db, pool, searchPool, close }
}

const searchSettings =
  'SET enable_seqscan = off; SET enable_indexscan = off; SET max_parallel_workers_per_gather = 0; SET work_mem = 32768'

interface PoolOptions {
  readonly isPatient?: true | undefined
  readonly settings?: string
}

function openPool(url: string, log: Log, max: number, { isPatient, settings }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    // Said on each new connection before anything else.
    ...(settings && { verify: (client: pg.PoolClient, done: (error?: Error) => void) => client.query(settings, done) }),
    // Waiting longer than this for a connection helps nobody: the request is answered 503 and may come again.
    connectionTimeoutMillis: 5_000,
    // Nor does waiting longer for an answer: the server gives up first, and where it is frozen, we do.
    ...(!isPatient && { statement_timeout: 10_000, query_timeout: 12_000 }),
    keepAlive: true,
    application_name: 'pennypost',
  })
  // A connection that breaks while idle; the pool replaces it.
  pool.on('error', (error) => log.warn({ cause: error.message }, 'an idle database connection broke'))
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Kysely gives every connection back as good; one that failed to answer is not, and would be the next to be lent. */
function evicting(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect()
      let isBroken = false
      const ask = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
      const watched = (...given: unknown[]) =>
        ask(...given).catch((error: unknown) => {
          isBroken ||= isDatabaseUnavailable(error) && !(error instanceof pg.DatabaseError)
          throw error
        })
      return { query: watched as unknown as PostgresPoolClient['query'], release: () => client.release(isBroken) }
    },
    end: () => pool.end(),
  }
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

// 08: connection; 57P: shut down or starting; 53: out of connections, memory or disk; 25006: read-only standby;
// 57014: over the time limit; 40P01, 40001: lost to a concurrent transaction, as good as new when tried again.
const awayStates = /^(08|57P|53|25006|57014|40P01|40001)/
const awayCauses = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])
const connectionCalls = new Set(['connect', 'read', 'write', 'getaddrinfo'])
// node-postgres gives these no code.
const awayMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end)/

/** Whether an error says that the database is away or too busy for now, not that the query was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as Error & { code?: unknown; syscall?: unknown }
  if (typeof code !== 'string') return awayMessages.test(error.message)
  return awayStates.test(code) || (awayCauses.has(code) && connectionCalls.has(String(syscall)))
}
