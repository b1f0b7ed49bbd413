import type { Limit } from '@pennypost/contract/limit'
import pg from 'pg'
import type { Log } from '../log.ts'
import { type Counters, counterName, type Taken, taken } from './counters.ts'
import { memoryCounters } from './memory-counters.ts'
import { findNeighbours } from './neighbours.ts'

// Atomic: looks at the oldest of the last `max` requests, and adds this one if it may. No row back: it may not.
const takeOne = {
  name: 'take-from-limit',
  text: `INSERT INTO rate_counters AS known (name, hits, expires_at) VALUES ($1, ARRAY[$2::bigint], $5)
    ON CONFLICT (name) DO UPDATE SET hits = ($2::bigint || known.hits)[1:$3::int], expires_at = excluded.expires_at
      WHERE known.hits[$3::int] IS NULL OR known.hits[$3::int] + $4::bigint <= $2::bigint
    RETURNING true`,
}
const oldestOf = { name: 'oldest-of-limit', text: 'SELECT hits[$2::int] AS oldest FROM rate_counters WHERE name = $1' }

const forgetEveryMs = 600_000

/**
 * Counters of processes that share a database and have no Redis. While this process is the only one it counts in memory,
 * which costs nothing; so it does while the database is away.
 */
export async function postgresCounters(databaseUrl: string, log: Log): Promise<Counters> {
  const alone = memoryCounters()
  const neighbours = await findNeighbours(databaseUrl)
  // Of its own: a request that holds a connection of the other pool while it asks would wait for itself.
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 4,
    application_name: 'pennypost limits',
    connectionTimeoutMillis: 2_000,
    statement_timeout: 2_000,
    query_timeout: 3_000,
  })
  pool.on('error', (error) => log.warn({ cause: error.message }, 'a database connection of the limits broke'))
  let lastSeen: Date | undefined
  const forget = () => {
    if (lastSeen) pool.query('DELETE FROM rate_counters WHERE expires_at < $1', [lastSeen]).catch(() => {})
  }
  const timer = setInterval(forget, forgetEveryMs).unref()

  async function takeShared(limit: Limit, subject: string, date: Date): Promise<Taken> {
    const [name, now, windowMs] = [counterName(limit, subject), date.getTime(), limit.seconds * 1000]
    const values = [name, now, limit.max, windowMs, new Date(now + windowMs)]
    const { rowCount } = await pool.query({ ...takeOne, values })
    if (rowCount === 1) return taken(limit, undefined, now)
    const { rows } = await pool.query<{ oldest: string | null }>({ ...oldestOf, values: [name, limit.max] })
    // Forgotten in between: whoever asks again gets through.
    return taken(limit, Number(rows[0]?.oldest ?? now - windowMs + 1), now)
  }

  return {
    take(limit, subject, date) {
      if (!neighbours.areThere()) return alone.take(limit, subject, date)
      lastSeen = date
      return takeShared(limit, subject, date).catch(() => alone.take(limit, subject, date))
    },
    async close() {
      clearInterval(timer)
      await neighbours.close()
      await pool.end()
    },
  }
}
