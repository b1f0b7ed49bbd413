import {
  invalidBodies,
  invalidRequest,
  malformedJson,
  rateLimited,
  smallBodyBytes,
  validation,
} from '@pennypost/contract/errors'
import type { Refusal } from '@pennypost/contract/refusal'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { entriesAtMost } from '../entries-at-most.ts'
import type { LimitParts } from '../limits/enforce-limit.ts'
import { clientAddress } from './client-address.ts'
import { refuse } from './refuse.ts'

const invalid: readonly Refusal[] = [malformedJson, invalidRequest, validation]
const maxBlocked = 10_000

/** Counts large bodies that are not valid, and refuses further large ones of the same address before they are read. */
export interface InvalidBodies {
  /** Refuses a large body if its sender is blocked. */
  check(request: FastifyRequest): void
  /** Counts a refusal, if it is one of a large body. */
  count(request: FastifyRequest, refusal: Refusal): Promise<void>
}

export function countInvalidBodies({ rateLimiter, clock }: LimitParts): InvalidBodies {
  const blockedUntil = new LRUCache<string, number>(entriesAtMost(maxBlocked))
  return {
    check(request) {
      if (!isLarge(request)) return
      const waitMs = (blockedUntil.get(clientAddress(request.ip)) ?? 0) - clock.now().getTime()
      if (waitMs > 0) refuse(rateLimited, {}, { retryAfterSeconds: Math.ceil(waitMs / 1000) })
    },
    async count(request, refusal) {
      if (!invalid.includes(refusal) || !isLarge(request)) return
      const address = clientAddress(request.ip)
      const { allowed, retryAfterSeconds } = await rateLimiter.consume(invalidBodies, address, clock.now())
      if (!allowed) blockedUntil.set(address, clock.now().getTime() + retryAfterSeconds * 1000)
    },
  }
}

/** A body without a length counts as large. */
const isLarge = ({ headers }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? 0) > smallBodyBytes || headers['transfer-encoding'] !== undefined
