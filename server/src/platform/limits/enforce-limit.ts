import { rateLimited } from '@pennypost/contract/errors'
import type { Limit } from '@pennypost/contract/limit'
import type { Clock } from '../clock.ts'
import { clientAddress } from '../http/client-address.ts'
import { refuse } from '../http/refuse.ts'
import type { RateLimiter } from './rate-limiter.ts'

export interface LimitParts {
  readonly rateLimiter: RateLimiter
  readonly clock: Clock
}

export async function enforceLimit(
  { rateLimiter: counters, clock }: LimitParts,
  limit: Limit,
  subject: string,
): Promise<void> {
  const { allowed, retryAfterSeconds } = await counters.consume(limit, subject, clock.now())
  if (!allowed) refuse(rateLimited, {}, { retryAfterSeconds })
}

/** For handlers that count only some requests, for example no replays. The endpoint declares it in `handlerLimits`. */
export const enforceLimitOfIp = (parts: LimitParts, limit: Limit, ip: string): Promise<void> =>
  enforceLimit(parts, limit, clientAddress(ip))
