import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely'
import pg from 'pg'
import type { Log } from '../log.ts'
import { inSpan, isTracing } from '../tracing/tracing.ts'
import { clientOf, NoPrimary } from './client.ts'
import { databaseSocket } from './database-socket.ts'
import { createStatementNames } from './statement-names.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export interface Database {
  readonly db: Db
  readonly pool: pg.Pool
  /** For full-text searches: a small pool, so that they leave connections for others, with planner settings for them. */
  readonly searchPool: pg.Pool
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** For scripts: queries may take any time. */
  readonly withoutTimeLimits?: true
  /** The most connections for requests and jobs, and for searches. */
  readonly connections?: number
  readonly searchConnections?: number
  /** PostgreSQL itself, if the URL is a pooler in transaction mode. */
  readonly directUrl?: string | undefined
}

/** Opens the connection pool of the process, which requests and jobs share. */
export function openDatabase(url: string, log: Log, options: DatabaseOptions = {}): Database {
  const { withoutTimeLimits: isPatient, connections = 20, searchConnections = 4 } = options
  const { directUrl } = options
  const pool = openPool(url, log, connections, { isPatient, isPooled: directUrl !== undefined })
  // The planner assumes that array tests are free, and would test every post rather than use the index of terms.
  const searchPool = openPool(directUrl ?? url, log, searchConnections, { settings: searchSettings })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: evicting(pool) }) })
  // Not db.destroy(), which leaves the pool open if it was never used.
  const close = async () => {
    await Promise.all([pool.end(), searchPool.end()])
  }
  return { db, pool, searchPool, close }
}

const searchSettings =
  'SET enable_seqscan = off; SET max_parallel_workers_per_gather = 0; SET work_mem = 32768; ' +
  // How similar words must be: one wrong letter of five still is.
  'SET pg_trgm.word_similarity_threshold = 0.45'

interface PoolOptions {
  readonly isPatient?: true | undefined
  readonly settings?: string
  readonly isPooled?: boolean
}

function openPool(url: string, log: Log, max: number, { isPatient, settings, isPooled }: PoolOptions): pg.Pool {
  // A pooler refuses settings of a session. Its own limits take their place: see docs/operations.md.
  const hasLimits = !isPatient && !isPooled
  const pool = new pg.Pool({
    Client: clientOf(url),
    connectionString: url,
    max,
    // Runs first on every new connection.
    ...(settings && { verify: (client: pg.PoolClient, done: (error?: Error) => void) => client.query(settings, done) }),
    // After this, the request gets a 503 and the client can retry. A script cannot, and a busy database is no reason to fail.
    connectionTimeoutMillis: isPatient ? 120_000 : 5_000,
    // The server cancels a statement first; if the server hangs, we give up.
    ...(hasLimits && { statement_timeout: 10_000 }),
    ...(!isPatient && { query_timeout: 12_000 }),
    // A frozen process must not keep rows locked. No transaction waits for anything but the database.
    ...(hasLimits && { idle_in_transaction_session_timeout: 15_000 }),
    keepAlive: true,
    stream: databaseSocket,
    application_name: 'pennypost',
  })
  // An idle connection broke; the pool replaces it.
  pool.on('error', (error) => log.warn({ cause: error.message }, 'an idle database connection broke'))
  pool.on('connect', (client) => client.on('error', () => {}))
  if (isPooled) pool.on('connect', withoutNames)
  return retryStalePlans(pool, max)
}

/**
 * Removes the names of prepared statements: behind a pooler the next transaction may get another session, which does not
 * have them.
 */
function withoutNames(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const unnamed = (first: unknown, ...rest: unknown[]) =>
    query(isNamed(first) ? { ...first, name: undefined } : first, ...rest)
  Object.assign(client, { query: unnamed })
}

const isNamed = (query: unknown): query is { name: string } =>
  typeof query === 'object' && query !== null && 'name' in query && 'text' in query

type Query = (...given: unknown[]) => Promise<unknown>

const maxQueryTextLength = 300

/** Makes queries part of traces, if tracing is on. Their text has placeholders, so it contains nothing that people wrote. */
function traced(query: Query): Query {
  if (!isTracing()) return query
  return (...given) => {
    const [first] = given as [string | { readonly name?: string; readonly text: string }]
    const text = typeof first === 'string' ? first : first.text
    const word = /\w+/.exec(text)?.[0].toUpperCase() ?? 'query'
    const name = typeof first === 'string' ? word : (first.name ?? word)
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, maxQueryTextLength).trim() }
    return inSpan({ name: `postgresql ${name}`, attributes }, () => query(...given))
  }
}

/** A prepared statement whose columns a migration has changed meanwhile. */
const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.message.startsWith('cached plan')

/**
 * Repeats a query whose plan is outdated. The pool drops the connection, but others may have the same plan: at most all of
 * them do.
 */
function retryStalePlans(pool: pg.Pool, max: number): pg.Pool {
  const query = traced(pool.query.bind(pool) as Query)
  const retrying = async (...given: unknown[]) => {
    for (let tried = 0; ; tried += 1) {
      try {
        return await query(...given)
      } catch (error) {
        if (!isStalePlan(error) || tried === max) throw error
      }
    }
  }
  return Object.assign(pool, { query: retrying as unknown as typeof pool.query })
}

/** The error code of a write on a standby. */
export const standby = '25006'

/** The error code of a statement that exceeded its time limit. */
export const overTime = '57014'

/** Whether the connection can no longer be used. */
const isLost = (error: unknown): boolean =>
  isStalePlan(error) ||
  (isDatabaseUnavailable(error) && (!(error instanceof pg.DatabaseError) || error.code === standby))

/**
 * Kysely returns every connection to the pool as healthy. This removes one whose query failed without a reply, whose server has
 * become a standby, or which has an outdated plan. Statements of transactions that come often are planned once.
 */
function evicting(pool: pg.Pool): PostgresPool {
  const nameOf = createStatementNames()
  return {
    async connect() {
      const client = await pool.connect()
      let isBroken = false
      const query = traced(client.query.bind(client) as Query)
      let isInTransaction = false
      const watched = (text: string, values: unknown[] = []) => {
        // Only in transactions: the best plan of a list depends on its values, and lists are read outside of transactions.
        const name = isInTransaction && values.length > 0 ? nameOf(text) : undefined
        isInTransaction ||= /^(begin|start transaction)/.test(text)
        return (name ? query({ name, text, values }) : query(text, values)).catch((error: unknown) => {
          isBroken ||= isLost(error)
          throw error
        })
      }
      return { query: watched as unknown as PostgresPoolClient['query'], release: () => client.release(isBroken) }
    },
    end: () => pool.end(),
  }
}

/** The error code of every statement after the one that failed its transaction. */
const aborted = '25P02'

/**
 * Runs independent parts of a transaction concurrently: the database works on one while this process works on another.
 * Waits for all parts even if one fails: a statement that a part sends later would run after the transaction, on a
 * connection that another request may have by then.
 * @example const [, terms] = await inAnyOrder(saveRow(tx, post), searchTermsOf(post))
 */
export async function inAnyOrder<const Parts extends readonly unknown[]>(
  ...parts: Parts
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  const settled = await Promise.allSettled(parts)
  const errors = settled.flatMap((part) => (part.status === 'rejected' ? [part.reason] : []))
  if (errors.length > 0) throw errors.find((error) => error.code !== aborted) ?? errors[0]
  return settled.map((part) => (part as PromiseFulfilledResult<unknown>).value) as never
}

/**
 * Compares a column with these ids. One id is compared by `=`: PostgreSQL keeps the plan of a statement with one value, but makes
 * a new plan for every list.
 * @example sql`SELECT … WHERE post.id ${oneOf(postIds)}`
 */
export const oneOf = (ids: readonly string[]): RawBuilder<unknown> =>
  ids.length === 1 ? sql`= ${ids[0]}` : sql`= ANY(${[...ids]}::uuid[])`

/** A prepared statement for hot queries: planned once per connection, under its name. */
export interface Statement<Row extends pg.QueryResultRow> {
  readonly name: string
  readonly text: string
  readonly row?: Row
}

/** The pool, or one of its connections. */
export type Reader = Pick<pg.Pool, 'query'>

export async function readRows<Row extends pg.QueryResultRow>(
  reader: Reader,
  statement: Statement<Row>,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await reader.query<Row>({ name: statement.name, text: statement.text, values })
  return rows
}

/** Runs queries that all see the database as it was at the first of them. */
export async function inSnapshot<Value>(pool: pg.Pool, read: (reader: Reader) => Promise<Value>): Promise<Value> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const value = await read(client as unknown as Reader)
    await client.query('COMMIT')
    client.release()
    return value
  } catch (error) {
    // The transaction ends with the connection.
    client.release(true)
    throw error
  }
}

// 08: connection; 57P: shut down or starting; 53: out of connections, memory or disk; 25006: read-only standby;
// 57014: over the time limit; 40P01, 40001: deadlock or serialization failure, which succeed when retried.
const unavailableStates = /^(08|57P|53|25006|57014|40P01|40001)/
const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const connectionCalls = new Set(['connect', 'read', 'write', 'getaddrinfo'])
// node-postgres throws these without a code.
const unavailableMessages =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end)/

/** Whether a statement would have broken a constraint: 23505 is a row that is there already, 23503 one that refers to nothing. */
export const isIntegrityViolation = (error: unknown): error is Error =>
  error instanceof Error && /^23/.test(String((error as Error & { code?: unknown }).code))

/** Whether an error means that the database is unavailable or overloaded, rather than that the query is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof NoPrimary) return true
  const { code, syscall } = error as Error & { code?: unknown; syscall?: unknown }
  // Inside a transaction it cannot be retried here, but the client can.
  if (isStalePlan(error)) return true
  if (typeof code !== 'string') return unavailableMessages.test(error.message)
  return unavailableStates.test(code) || (unavailableCodes.has(code) && connectionCalls.has(String(syscall)))
}
