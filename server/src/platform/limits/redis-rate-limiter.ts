import type { Limit } from '@pennypost/contract/limit'
import { createClient } from 'redis'
import type { Log } from '../log.ts'
import { within } from '../within.ts'
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

/** How long Redis may take. The library's own limit covers only the time until a command is sent. */
const replyMs = 1_000

/** A rate limiter for several processes. While Redis is unavailable, `fallback` counts. */
export async function redisRateLimiter(
  url: string,
  log: Log,
  fallback: RateLimiter = memoryRateLimiter(),
): Promise<RateLimiter & { isConnected(): boolean }> {
  let wasUnavailable = false
  let client = open()

  function open() {
    const opened = createClient({
      url,
      disableOfflineQueue: true,
      // Pings an idle connection more often than silent ones are closed.
      pingInterval: 2_000,
      socket: {
        connectTimeout: 2_000,
        socketTimeout: 5_000,
        reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, 5_000),
      },
    })
    opened.on('error', (error: Error) => unavailable(error.message))
    opened.on('ready', () => {
      wasUnavailable = false
    })
    opened.connect().catch(() => {})
    return opened
  }

  function unavailable(cause: string): void {
    if (!wasUnavailable)
      log.warn({ cause }, 'Redis is unavailable: until it is back, rate limits are counted without it, from zero')
    wasUnavailable = true
  }

  async function oldestOf(limit: Limit, subject: string, now: number): Promise<unknown> {
    const asked = client
    const reply = asked.eval(script, {
      keys: [limitKey(limit, subject)],
      arguments: [String(limit.max), String(now), String(limit.seconds * 1000)],
    })
    await within(replyMs, reply, () => {
      // The network was cut, or Redis hangs. All commands that wait for this connection are rejected, and a new one is
      // opened.
      if (client !== asked) return
      unavailable('no reply in time')
      client = open()
      asked.destroy()
    })
    return reply
  }

  return {
    isConnected: () => client.isReady,
    async consume(limit: Limit, subject: string, date: Date): Promise<RateLimitResult> {
      if (!client.isReady) return fallback.consume(limit, subject, date)
      const now = date.getTime()
      try {
        const oldest = await oldestOf(limit, subject, now)
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
