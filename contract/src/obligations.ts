import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { CursorPagination, DateTime, queryInteger, Uuid } from './schemas.ts'

// Money that is owed but could not be sent, so that an administrator has to act.

const Obligation = z
  .object({
    id: Uuid,
    role: z
      .enum(['creator', 'house', 'refund'])
      .meta({ description: 'Who it is owed to. A refund is owed to the payer.' }),
    status: z.enum(['waiting', 'blocked']),
    reason: z.string().nullable().meta({ description: 'Why it is blocked.' }),
    asset: z.literal('XNO'),
    amountRaw: z.string(),
    destination: z.string(),
    payee: z.object({ id: Uuid, handle: z.string() }).nullable(),
    sourceKind: z.enum(['purchase', 'tip']).nullable(),
    sourceId: Uuid.nullable(),
    createdAt: DateTime,
  })
  .meta({ id: 'Obligation' })
export type Obligation = z.infer<typeof Obligation>

export const obligationNotFound = refusal('obligation-not-found', 404, 'No obligation has this id.')
export const obligationState = refusal('obligation-state', 409, 'This obligation is no longer blocked.')
export const creatorDecides = refusal(
  'creator-decides',
  409,
  'Only the creator can choose the address, by binding the payout to their saved address.',
)
export const destinationRefused = refusal('destination-refused', 409, 'This service cannot send money to itself.')

export const listObligations = endpoint({
  ...adminOnly,
  method: 'GET',
  path: '/api/v1/admin/obligations',
  summary: 'List money that is owed, oldest first',
  description: '`blocked` needs action. `waiting` is being sent; an old entry may be stuck.',
  request: {
    query: z.object({
      status: z.enum(['blocked', 'waiting']).default('blocked'),
      limit: queryInteger({ min: 1, max: 100, default: 50 }),
      cursor: z.string().max(200).optional(),
    }),
  },
  replies: { 200: z.object({ obligations: z.array(Obligation), pagination: CursorPagination }) },
  refusals: [adminRequired],
})

export const retryObligation = endpoint({
  ...adminOnly,
  method: 'POST',
  path: '/api/v1/admin/obligations/{obligationId}/retry',
  summary: 'Retry sending a refund or commission',
  description:
    'Commission goes to the address in the current settings. A payout to a creator waits for the creator instead. Recorded in the audit log.',
  request: { params: z.object({ obligationId: Uuid }) },
  replies: { 200: Obligation },
  refusals: [adminRequired, obligationNotFound, obligationState, creatorDecides, destinationRefused],
})

export const goesToSender = refusal('goes-to-sender', 409, 'This can be returned to its sender. Retry it instead.')

export const settleObligation = endpoint({
  ...adminOnly,
  method: 'POST',
  path: '/api/v1/admin/obligations/{obligationId}/settle',
  summary: 'Choose the address for a refund that cannot be returned to its sender',
  description:
    'Used when the sender is this service itself or always sends money back, so that a person has to find out whose money it is. Recorded in the audit log.',
  request: {
    params: z.object({ obligationId: Uuid }),
    body: z.strictObject({ destination: z.string().trim().max(100).meta({ description: 'A Nano address.' }) }),
  },
  replies: { 200: Obligation },
  refusals: [adminRequired, obligationNotFound, obligationState, goesToSender, destinationRefused],
})
