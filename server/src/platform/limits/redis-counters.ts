import type { Limit } from '@pennypost/contract/limit'
import { createClient } from 'redis'
import type { Log } from '../log.ts'
import { type Counters, counterName, type Taken, taken } from './counters.ts'
import { memoryCounters } from './memory-counters.ts'

// One round trip and atomic: look at the oldest of the last `max` requests, then add this one if it may.
const script = `
local oldest = redis.call('LINDEX', KEYS[1], tonumber(ARGV[1]) - 1)
if oldest and tonumber(oldest) + tonumber(ARGV[3]) > tonumber(ARGV[2]) then return oldest end
redis.call('LPUSH', KEYS[1], ARGV[2])
redis.call('LTRIM', KEYS[1], 0, tonumber(ARGV[1]) - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return false`

/** Counters that several processes share. While Redis is away each process counts for itself: limits loosen, nothing stops. */
export async function redisCounters(url: string, log: Log): Promise<Counters & { isConnected(): boolean }> {
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
  const alone = memoryCounters()
  return {
    isConnected: () => client.isReady,
    async take(limit: Limit, subject: string, date: Date): Promise<Taken> {
      if (!client.isReady) return alone.take(limit, subject, date)
      const now = date.getTime()
      try {
        const oldest = await client.eval(script, {
          keys: [counterName(limit, subject)],
          arguments: [String(limit.max), String(now), String(limit.seconds * 1000)],
        })
        return taken(limit, typeof oldest === 'string' ? Number(oldest) : undefined, now)
      } catch {
        return alone.take(limit, subject, date)
      }
    },
    async close() {
      client.destroy()
    },
  }
}
