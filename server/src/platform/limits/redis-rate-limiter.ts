import type { Limit } from '@pennypost/contract/limit'
import { createClient } from 'redis'
import type { Log } from '../log.ts'
import { memoryRateLimiter } from './memory-rate-limiter.ts'
import { limitKey, type RateLimiter, type RateLimitResult, rateLimitResult } from './rate-limiter.ts'

// One round trip and atomic: look at the oldest of the last `max` requests, then add this one if it may.
const script = `
local oldest = redis.call('LINDEX', KEYS[1], tonumber(ARGV[1]) - 1)
if oldest and tonumber(oldest) + tonumber(ARGV[3]) > tonumber(ARGV[2]) then return oldest end
redis.call('LPUSH', KEYS[1], ARGV[2])
redis.call('LTRIM', KEYS[1], 0, tonumber(ARGV[1]) - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return false`

/** Counters that several processes share. While Redis is away each process counts for itself: limits loosen, nothing stops. */
export async function redisRateLimiter(url: string, log: Log): Promise<RateLimiter & { isConnected(): boolean }> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandOptions: { timeout: 500 },
    socket: { connectTimeout: 2_000, reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, 5_000) },
  })
  let wasAway = false
  client.on('error', (error: Error) => {
    if (!wasAway) log.warn({ cause: error.message }, 'Redis is away: limits are counted in each process')
    wasAway = true
  })
  client.on('ready', () => {
    wasAway = false
  })
  client.connect().catch(() => {})
  const alone = memoryRateLimiter()
  return {
    isConnected: () => client.isReady,
    async consume(limit: Limit, subject: string, date: Date): Promise<RateLimitResult> {
      if (!client.isReady) return alone.consume(limit, subject, date)
      const now = date.getTime()
      try {
        const oldest = await client.eval(script, {
          keys: [limitKey(limit, subject)],
          arguments: [String(limit.max), String(now), String(limit.seconds * 1000)],
        })
        return rateLimitResult(limit, typeof oldest === 'string' ? Number(oldest) : undefined, now)
      } catch {
        return alone.consume(limit, subject, date)
      }
    },
    async close() {
      client.destroy()
    },
  }
}
