import type { Limit } from '@pennypost/contract/limit'
import { type Counters, counterName, type Taken, taken } from './counters.ts'

// Enough for a busy hour; beyond that the least recently used are forgotten rather than the process.
const mostSubjects = 100_000

/** Counters of this process alone. */
export function memoryCounters(): Counters {
  const times = new Map<string, number[]>()
  return {
    take(limit: Limit, subject: string, date: Date): Taken {
      const now = date.getTime()
      const name = counterName(limit, subject)
      const hits = times.get(name) ?? []
      const result = taken(limit, hits[hits.length - limit.max], now)
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
