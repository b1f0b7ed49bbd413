import type { Counter } from 'prom-client'
import type { RateLimiter, RateLimitResult } from './rate-limiter.ts'

/** Counts what a limiter refuses, by the name of the limit. */
export const countRefusals = (limiter: RateLimiter, refusals: Counter<'limit'>): RateLimiter => ({
  consume(limit, subject, now) {
    const note = (result: RateLimitResult): RateLimitResult => {
      if (!result.allowed) refusals.inc({ limit: limit.name })
      return result
    }
    const result = limiter.consume(limit, subject, now)
    return result instanceof Promise ? result.then(note) : note(result)
  },
  close: () => limiter.close(),
})
