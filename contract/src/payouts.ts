import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'

export const payoutNotFound = refusal('payout-not-found', 404, 'No payout to you has this id.')
export const recipientChanged = refusal('recipient-changed', 409, 'This is not your currently saved address.')
export const payoutNotEligible = refusal('payout-not-eligible', 409, 'This payout is not waiting for an address.')

/** The address that a blocked payout was bound to. */
const PayoutBinding = z
  .object({
    source_kind: z.enum(['purchase', 'tip']),
    source_id: Uuid,
    status: z.enum(['waiting', 'blocked', 'confirmed']),
    payoutAddress: z.string(),
    addressUpdatedAt: DateTime,
    resolution_eligible: z.boolean(),
    replayed: z.boolean(),
  })
  .meta({ id: 'PayoutBinding' })

export const bindPayout = endpoint({
  tag: 'Purchases and tips',
  method: 'PUT',
  path: '/api/v1/payouts/{sourceKind}/{sourceId}/recipient',
  summary: 'Send a blocked payout to your saved address',
  description:
    'Send both values exactly as `GET /api/v1/profile/payout-address` returns them. Repeating the request changes nothing. The money is sent in the background.',
  credential: 'owner-session',
  request: {
    params: z.object({ sourceKind: z.enum(['purchase', 'tip']), sourceId: Uuid }),
    body: z.strictObject({ payoutAddress: z.string().trim().max(100), addressUpdatedAt: DateTime }),
  },
  replies: { 200: PayoutBinding },
  refusals: [payoutNotFound, recipientChanged, payoutNotEligible],
  errors: 'problem',
})
