import { rateLimited } from '@pennypost/contract/errors'
import { limit } from '@pennypost/contract/limit'
import { clientAddress } from '../platform/http/client-address.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Services } from '../services.ts'

// Payments and signed challenges: each costs questions to a node, and a signature to check.
const proofLimit = limit('x402-proofs', { per: 'ip', max: 120, seconds: 60 })

export async function takeProofLimit({ counters, clock }: Services, ip: string): Promise<void> {
  const { allowed, retryAfterSeconds } = await counters.take(proofLimit, clientAddress(ip), clock.now())
  if (!allowed) refuse(rateLimited, {}, { retryAfterSeconds })
}
