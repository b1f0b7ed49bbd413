import type { Limit } from '@pennypost/contract/limit'
import { createClient } from 'redis'
import type { Log } from '../log.ts'
import { memoryRateLimiter } from './memory-rate-limiter.ts'
import { limitKey, type RateLimiter, type RateLimitResult, rateLimitResult } from './rate-limiter.ts'

// Atomic, in one round trip: checks the oldest of the last `max` requests and adds this one if it is allowed.
const script = `
local oldest = redis.call('LINDEX', KEYS[1], tonumber(ARGV[1]) - 1)
if oldest and tonumber(oldest) + tonumber(ARGV[3]) > tonumber(ARGV[2]) then return oldest end
redis.call('LPUSH', KEYS[1], ARGV[2])
redis.call('LTRIM', KEYS[1], 0, tonumber(ARGV[1]) - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return false`

/** A rate limiter for several processes. While Redis is unavailable, `fallback` counts. */
export async function redisRateLimiter(
  url: string,
  log: Log,
  fallback: RateLimiter = memoryRateLimiter(),
): Promise<RateLimiter & { isConnected(): boolean }> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandOptions: { timeout: 500 },
    socket: { connectTimeout: 2_000, reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, 5_000) },
  })
  let wasUnavailable = false
  client.on('error', (error: Error) => {
    if (!wasUnavailable) log.warn({ cause: error.message }, 'Redis is unavailable: rate limits start again without it')
    wasUnavailable = true
  })
  client.on('ready', () => {
    wasUnavailable = false
  })
  client.connect().catch(() => {})
  return {
    isConnected: () => client.isReady,
    async consume(limit: Limit, subject: string, date: Date): Promise<RateLimitResult> {
      if (!client.isReady) return fallback.consume(limit, subject, date)
      const now = date.getTime()
      try {
        const oldest = await client.eval(script, {
          keys: [limitKey(limit, subject)],
          arguments: [String(limit.max), String(now), String(limit.seconds * 1000)],
        })
        return rateLimitResult(limit, typeof oldest === 'string' ? Number(oldest) : undefined, now)
      } catch {
        return fallback.consume(limit, subject, date)
      }
    },
    async close() {
      client.destroy()
      await fallback.close()
    },
  }
}
