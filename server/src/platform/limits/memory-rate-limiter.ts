import type { Limit } from '@pennypost/contract/limit'
import { limitKey, type RateLimiter, type RateLimitResult, rateLimitResult } from './rate-limiter.ts'

// Enough for a busy hour; beyond that the least recently used are forgotten rather than the process.
const mostSubjects = 100_000

/** Counters of this process alone. */
export function memoryRateLimiter(): RateLimiter {
  const times = new Map<string, number[]>()
  return {
    consume(limit: Limit, subject: string, date: Date): RateLimitResult {
      const now = date.getTime()
      const name = limitKey(limit, subject)
      const hits = times.get(name) ?? []
      const result = rateLimitResult(limit, hits[hits.length - limit.max], now)
      if (!result.allowed) return result
      hits.push(now)
      if (hits.length > limit.max) hits.shift()
      // Insertion order is use order, so the first key is the one not seen for longest.
      times.delete(name)
      times.set(name, hits)
      if (times.size > mostSubjects) times.delete(times.keys().next().value as string)
      return result
    },
    close: () => Promise.resolve(),
  }
}
