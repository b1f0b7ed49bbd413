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

const maxGroups = 100

/**
 * How many successive requests share one time in a counter, that of the first of them. So a counter holds at most about 100
 * times, and a request costs the same whatever `max` is. A group leaves the window with its first request, so less than one
 * percent more than `max` may pass, and no client below the limit is refused. Limits of up to 100 requests are exact.
 */
export const groupSize = ({ max }: Limit): number => Math.ceil(max / maxGroups)

/** How many groups before the newest one the oldest of the last `max` requests is in. */
export const groupsBack = (limit: Limit, newestCount: number): number =>
  Math.ceil((limit.max - newestCount) / groupSize(limit))

/** How many groups a counter must keep. */
export const keptGroups = (limit: Limit): number => groupsBack(limit, 1) + 1
