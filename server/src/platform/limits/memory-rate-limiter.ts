import type { Limit } from '@pennypost/contract/limit'
import { LRUCache } from 'lru-cache'
import { limitKey, type RateLimiter, type RateLimitResult, rateLimitResult } from './rate-limiter.ts'

// Enough for a busy hour. Beyond it, the least recently used subjects are forgotten so that memory stays bounded.
const maxSubjects = 100_000

/** Counts in the memory of this process. */
export function memoryRateLimiter(): RateLimiter {
  // `max` would reserve the memory for all of them at the start.
  const times = new LRUCache<string, number[]>({ maxSize: maxSubjects, sizeCalculation: () => 1 })
  return {
    consume(limit: Limit, subject: string, date: Date): RateLimitResult {
      const now = date.getTime()
      const key = limitKey(limit, subject)
      const hits = times.get(key) ?? []
      const result = rateLimitResult(limit, hits[hits.length - limit.max], now)
      if (!result.allowed) return result
      hits.push(now)
      if (hits.length > limit.max) hits.shift()
      times.set(key, hits)
      return result
    },
    close: () => Promise.resolve(),
  }
}
