import { rateLimited } from '@pennypost/contract/errors'
import type { Limit } from '@pennypost/contract/limit'
import type { Clock } from '../clock.ts'
import { clientAddress, clientNetwork } from '../http/client-address.ts'
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
  detail?: string,
): Promise<void> {
  const { allowed, retryAfterSeconds } = await counters.consume(limit, subject, clock.now())
  if (!allowed) refuse(rateLimited, {}, { retryAfterSeconds, ...(detail !== undefined && { detail }) })
}

/** How many times wider the limit of an IPv6 network is than that of a household. */
const networkTimes = 32

/**
 * Counts a request for an IP address. For IPv6 also for its /48, with a wider limit: a client with a /48 has 65,536 of the
 * /64 networks that we count as one client. Handlers that count only some requests, for example no replays, call this
 * with a limit from the endpoint's `handlerLimits`. `detail` says what there was too much of.
 */
export async function enforceLimitOfIp(parts: LimitParts, limit: Limit, ip: string, detail?: string): Promise<void> {
  await enforceLimit(parts, limit, clientAddress(ip), detail)
  const network = clientNetwork(ip)
  if (network !== undefined)
    await enforceLimit(parts, { ...limit, max: limit.max * networkTimes, times: networkTimes }, network, detail)
}
