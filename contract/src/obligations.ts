import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { CursorPagination, DateTime, queryInteger, Uuid } from './schemas.ts'

// Money that is owed and could not be sent: what needs a person (decisions §9).

const Obligation = z
  .object({
    id: Uuid,
    role: z.enum(['creator', 'house', 'refund']).meta({ description: 'Whom it is owed to; a refund, to a payer.' }),
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

export const obligationNotFound = refusal('obligation-not-found', 404, 'Nothing that is owed has this id.')
export const obligationState = refusal('obligation-state', 409, 'This is not blocked any more.')
export const creatorDecides = refusal(
  'creator-decides',
  409,
  'Only the creator can say where this goes, by binding it to their saved address.',
)
export const destinationRefused = refusal('destination-refused', 409, 'This service cannot send money to itself.')

export const listObligations = endpoint({
  ...adminOnly,
  method: 'GET',
  path: '/api/v1/admin/obligations',
  summary: 'Money that is owed, the oldest first',
  description: '`blocked` needs somebody to do something; `waiting` is on its way, unless it is old.',
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
  summary: 'Try again to send a refund to its sender, or commission to the house',
  description:
    'Commission goes where the settings say now. What is owed to a creator waits for the creator. The act is in the audit log.',
  request: { params: z.object({ obligationId: Uuid }) },
  replies: { 200: Obligation },
  refusals: [adminRequired, obligationNotFound, obligationState, creatorDecides, destinationRefused],
})

export const goesToSender = refusal(
  'goes-to-sender',
  409,
  'This can go back to whoever sent it: try that again instead.',
)

export const settleObligation = endpoint({
  ...adminOnly,
  method: 'POST',
  path: '/api/v1/admin/obligations/{obligationId}/settle',
  summary: 'Say where a refund goes that cannot go back to its sender',
  description:
    'Its sender is this service itself, or sends back whatever it is sent: only a person can find out whose money it is. The act is in the audit log.',
  request: {
    params: z.object({ obligationId: Uuid }),
    body: z.strictObject({ destination: z.string().trim().max(100).meta({ description: 'A Nano address.' }) }),
  },
  replies: { 200: Obligation },
  refusals: [adminRequired, obligationNotFound, obligationState, goesToSender, destinationRefused],
})
