import type { Limit } from '@pennypost/contract/limit'
import { LRUCache } from 'lru-cache'
import { entriesAtMost } from '../entries-at-most.ts'
import {
  groupSize,
  groupsBack,
  keptGroups,
  limitKey,
  type RateLimiter,
  type RateLimitResult,
  rateLimitResult,
} from './rate-limiter.ts'

// Enough for a busy hour. Beyond it, the least recently used subjects are forgotten so that memory stays bounded.
const maxSubjects = 100_000

interface Counter {
  /** The time of the first request of each group, the newest last. */
  readonly times: number[]
  newestCount: number
}

/** Counts in the memory of this process. */
export function memoryRateLimiter(): RateLimiter {
  const counters = new LRUCache<string, Counter>(entriesAtMost(maxSubjects))
  return {
    consume(limit: Limit, subject: string, date: Date): RateLimitResult {
      const now = date.getTime()
      const key = limitKey(limit, subject)
      const size = groupSize(limit)
      const counter = counters.get(key) ?? { times: [], newestCount: size }
      const { times, newestCount } = counter
      const result = rateLimitResult(limit, times[times.length - 1 - groupsBack(limit, newestCount)], now)
      if (!result.allowed) return result
      if (newestCount < size) counter.newestCount += 1
      else {
        times.push(now)
        counter.newestCount = 1
        if (times.length > keptGroups(limit)) times.shift()
      }
      counters.set(key, counter)
      return result
    },
    close: () => Promise.resolve(),
  }
}
