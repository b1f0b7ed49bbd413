import type { Limit } from '@pennypost/contract/limit'
import pg from 'pg'
import { clientOf } from '../database/client.ts'
import type { Log } from '../log.ts'
import { memoryRateLimiter } from './memory-rate-limiter.ts'
import { watchPeerProcesses } from './peer-processes.ts'
import { limitKey, type RateLimiter, type RateLimitResult, rateLimitResult } from './rate-limiter.ts'

// Atomic: checks the oldest of the last `max` requests and adds this one if it is allowed. No row: it is not.
const consumeOne = {
  name: 'take-from-limit',
  text: `INSERT INTO rate_counters AS known (name, hits, expires_at) VALUES ($1, ARRAY[$2::bigint], $5)
    ON CONFLICT (name) DO UPDATE SET hits = ($2::bigint || known.hits)[1:$3::int], expires_at = excluded.expires_at
      WHERE known.hits[$3::int] IS NULL OR known.hits[$3::int] + $4::bigint <= $2::bigint
    RETURNING true`,
}
const oldestOf = { name: 'oldest-of-limit', text: 'SELECT hits[$2::int] AS oldest FROM rate_counters WHERE name = $1' }

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
    const [name, now, windowMs] = [limitKey(limit, subject), date.getTime(), limit.seconds * 1000]
    const values = [name, now, limit.max, windowMs, new Date(now + windowMs)]
    const { rowCount } = await pool.query({ ...consumeOne, values })
    if (rowCount === 1) return rateLimitResult(limit, undefined, now)
    const { rows } = await pool.query<{ oldest: string | null }>({ ...oldestOf, values: [name, limit.max] })
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
