import { rateLimited } from '@pennypost/contract/errors'
import type { Limit } from '@pennypost/contract/limit'
import type { Clock } from '../clock.ts'
import { clientAddress } from '../http/client-address.ts'
import { refuse } from '../http/refuse.ts'
import type { Counters } from './counters.ts'

export interface LimitParts {
  readonly counters: Counters
  readonly clock: Clock
}

export async function takeLimit({ counters, clock }: LimitParts, limit: Limit, subject: string): Promise<void> {
  const { allowed, retryAfterSeconds } = await counters.take(limit, subject, clock.now())
  if (!allowed) refuse(rateLimited, {}, { retryAfterSeconds })
}

/** For handlers that count some requests only: those that are no replay, say. The endpoint declares `rateLimited`. */
export const takeLimitOfAddress = (parts: LimitParts, limit: Limit, ip: string): Promise<void> =>
  takeLimit(parts, limit, clientAddress(ip))
