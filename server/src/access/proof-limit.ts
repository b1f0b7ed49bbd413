import { limit } from '@pennypost/contract/limit'
import { enforceLimitOfIp } from '../platform/limits/enforce-limit.ts'
import type { AccessServices } from './services.ts'

// Payments and signed challenges: each costs questions to a node, and a signature to check.
const proofLimit = limit('x402-proofs', { per: 'ip', max: 120, seconds: 60 })

export const takeProofLimit = (services: AccessServices, ip: string): Promise<void> =>
  enforceLimitOfIp(services, proofLimit, ip)
