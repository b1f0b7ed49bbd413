import type { Limit } from '@pennypost/contract/limit'

export interface RateLimitResult {
  readonly allowed: boolean
  readonly retryAfterSeconds: number
}

/**
 * Counts requests in a sliding window: a limit holds over every window of its length. The time of the oldest of the last
 * `max` requests decides.
 */
export interface RateLimiter {
  consume(limit: Limit, subject: string, now: Date): RateLimitResult | Promise<RateLimitResult>
  close(): Promise<void>
}

export const limitKey = (limit: Limit, subject: string): string => `limit:${limit.name}:${subject}`

export const rateLimitResult = (limit: Limit, oldest: number | undefined, now: number): RateLimitResult => {
  const waitMs = oldest === undefined ? 0 : oldest + limit.seconds * 1000 - now
  return { allowed: waitMs <= 0, retryAfterSeconds: Math.max(0, Math.ceil(waitMs / 1000)) }
}
