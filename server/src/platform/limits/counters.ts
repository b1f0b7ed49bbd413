import type { Limit } from '@pennypost/contract/limit'

export interface Taken {
  readonly allowed: boolean
  readonly retryAfterSeconds: number
}

/**
 * Counts requests. A limit is exact over every window of its length, not only over windows that begin on the hour: the
 * oldest of the last `max` requests decides.
 */
export interface Counters {
  take(limit: Limit, subject: string, now: Date): Taken | Promise<Taken>
  close(): Promise<void>
}

export const counterName = (limit: Limit, subject: string): string => `limit:${limit.name}:${subject}`

export const taken = (limit: Limit, oldest: number | undefined, now: number): Taken => {
  const waitMs = oldest === undefined ? 0 : oldest + limit.seconds * 1000 - now
  return { allowed: waitMs <= 0, retryAfterSeconds: Math.max(0, Math.ceil(waitMs / 1000)) }
}
