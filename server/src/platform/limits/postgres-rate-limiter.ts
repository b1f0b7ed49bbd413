import type { Limit } from '@pennypost/contract/limit'
import pg from 'pg'
import { clientOf } from '../database/client.ts'
import type { Log } from '../log.ts'
import { memoryRateLimiter } from './memory-rate-limiter.ts'
import { watchPeerProcesses } from './peer-processes.ts'
import {
  groupSize,
  keptGroups,
  limitKey,
  type RateLimiter,
  type RateLimitResult,
  rateLimitResult,
} from './rate-limiter.ts'

/** The time of the group that the oldest of the last `max` requests is in: `groupsBack` before the newest, which is first. */
const oldest = (max: string, size: string) =>
  `known.hits[1 + (${max}::int - known.newest_count + ${size}::int - 1) / ${size}::int]`

// Atomic: checks the oldest of the last `max` requests and adds this one if it is allowed. No row: it is not.
const consumeOne = {
  name: 'take-from-limit',
  text: `INSERT INTO rate_counters AS known (name, hits, newest_count, expires_at) VALUES ($1, ARRAY[$2::bigint], 1, $7)
    ON CONFLICT (name) DO UPDATE SET
      hits = CASE WHEN known.newest_count < $4::int THEN known.hits ELSE ($2::bigint || known.hits)[1:$5::int] END,
      newest_count = CASE WHEN known.newest_count < $4::int THEN known.newest_count + 1 ELSE 1 END,
      expires_at = excluded.expires_at
      WHERE ${oldest('$3', '$4')} IS NULL OR ${oldest('$3', '$4')} + $6::bigint <= $2::bigint
    RETURNING true`,
}
const oldestOf = {
  name: 'oldest-of-limit',
  text: `SELECT ${oldest('$2', '$3')} AS oldest FROM rate_counters known WHERE name = $1`,
}

/** Processes have different figures while an operator or an update changes a limit. They count apart if their groups differ in size. */
const counterName = (limit: Limit, subject: string): string => {
  const size = groupSize(limit)
  return size === 1 ? limitKey(limit, subject) : `${limitKey(limit, subject)} by ${size}`
}

const deleteEveryMs = 600_000

/**
 * A rate limiter for processes that share a database and have no Redis. While this process has no peers, or the database
 * is unavailable, it counts in memory, which is cheaper.
 */
export async function postgresRateLimiter(
  databaseUrl: string,
  log: Log,
  /** A database that does not reply within this time is unavailable. */
  { timeoutMs = 2_000 } = {},
): Promise<RateLimiter> {
  const inMemory = memoryRateLimiter()
  const peers = await watchPeerProcesses(databaseUrl, log)
  // A separate pool: a request that already holds a connection of the main pool could otherwise wait for itself.
  const pool = new pg.Pool({
    Client: clientOf(databaseUrl),
    connectionString: databaseUrl,
    max: 4,
    application_name: 'pennypost limits',
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs + 1_000,
  })
  pool.on('error', (error) => log.warn({ cause: error.message }, 'a database connection of the rate limiter broke'))
  let lastSeen: Date | undefined
  const deleteExpired = () => {
    if (lastSeen) pool.query('DELETE FROM rate_counters WHERE expires_at < $1', [lastSeen]).catch(() => {})
  }
  const timer = setInterval(deleteExpired, deleteEveryMs).unref()

  async function consumeShared(limit: Limit, subject: string, date: Date): Promise<RateLimitResult> {
    const [name, now, windowMs] = [counterName(limit, subject), date.getTime(), limit.seconds * 1000]
    const size = groupSize(limit)
    const values = [name, now, limit.max, size, keptGroups(limit), windowMs, new Date(now + windowMs)]
    const { rowCount } = await pool.query({ ...consumeOne, values })
    if (rowCount === 1) return rateLimitResult(limit, undefined, now)
    const { rows } = await pool.query<{ oldest: string | null }>({ ...oldestOf, values: [name, limit.max, size] })
    // Deleted in between: the next request is allowed.
    return rateLimitResult(limit, Number(rows[0]?.oldest ?? now - windowMs + 1), now)
  }

  return {
    consume(limit, subject, date) {
      if (!peers.exist()) return inMemory.consume(limit, subject, date)
      lastSeen = date
      return consumeShared(limit, subject, date).catch(() => inMemory.consume(limit, subject, date))
    },
    async close() {
      clearInterval(timer)
      await peers.close()
      await pool.end()
    },
  }
}
