import type { Limit } from '@pennypost/contract/limit'
import type { RateLimiter } from './rate-limiter.ts'

/** The figures that an operator chose for a limit instead of the contract's. */
export type AdjustedLimits = ReadonlyMap<string, Pick<Limit, 'max' | 'seconds'>>

export function adjustedLimit(limit: Limit, adjusted: AdjustedLimits): Limit {
  const chosen = adjusted.get(limit.name)
  return chosen ? { ...limit, seconds: chosen.seconds, max: chosen.max * (limit.times ?? 1) } : limit
}

export function adjustLimits(limiter: RateLimiter, adjusted: AdjustedLimits): RateLimiter {
  if (adjusted.size === 0) return limiter
  return {
    consume: (limit, subject, now) => limiter.consume(adjustedLimit(limit, adjusted), subject, now),
    close: () => limiter.close(),
  }
}
