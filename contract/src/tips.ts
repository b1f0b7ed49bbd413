import { z } from 'zod'
import { commentNotFound } from './comments.ts'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { paymentIdempotency } from './idempotency.ts'
import { parseAmount } from './money.ts'
import {
  Atomic,
  accept,
  EphemeralAddress,
  either,
  nano,
  newOrders,
  orderFields,
  owner,
  Quote,
  tooManyQuotes,
  tooManyStreams,
} from './order-fields.ts'
import { refusal } from './refusal.ts'
import { AtomicAmount, DateTime, trimmedText, Uuid } from './schemas.ts'

// Tips in Nano. A payer reads tips in either asset.

export const TipSession = z
  .object({
    ...orderFields,
    ...nano,
    quote: Quote,
    ephemeral_address: EphemeralAddress,
    comment_id: Uuid.nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: 'TipSession' })
export type TipSession = z.infer<typeof TipSession>

/** A tip as its payer reads it, in either asset. */
export const Tip = z
  .object({
    ...orderFields,
    ...either,
    quote: z.object({ amount_raw: Atomic, amount: z.string(), ...either, expires_at: DateTime }),
    ephemeral_address: EphemeralAddress.nullable().meta({
      description: 'Null for USDC, which goes directly to the author.',
    }),
    comment_id: Uuid.nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: 'Tip' })
export type Tip = z.infer<typeof Tip>

export const tipNotFound = refusal('tip-not-found', 404, 'You have no tip with this id.')
export const ownContent = refusal('own-content', 409, 'You cannot tip yourself.')
export const tippingUnavailable = refusal('tipping-unavailable', 409, 'The author cannot receive tips.')

/** The smallest tip: 0.001 XNO. */
export const minTipRaw = 10n ** 27n
const maxTipRaw = 2n ** 128n - 1n

export const TipAmountRaw = AtomicAmount.refine(
  // Text that is not digits is reported by AtomicAmount.
  (text) => !/^\d+$/.test(text) || (BigInt(text) >= minTipRaw && BigInt(text) <= maxTipRaw),
  `must be at least ${minTipRaw} raw, and at most the Nano supply`,
)

export const tipFields = {
  amountRaw: TipAmountRaw.optional(),
  amount: z
    .union([z.number(), z.string()])
    .transform((xno, context) => {
      const raw = parseAmount('XNO', String(xno))
      if (raw !== undefined) return raw
      context.addIssue({ code: 'custom', params: { code: 'invalid_format' }, message: 'must be an amount of XNO' })
      return z.NEVER
    })
    .meta({ openapi: { type: ['number', 'string'], description: "One of the author's suggested amounts, in XNO." } })
    .optional(),
  message: trimmedText(0, 280).nullish(),
}

/** A tip names its amount in one of two ways. */
export function requireOneAmount(input: { amountRaw?: unknown; amount?: unknown }, context: z.RefinementCtx): void {
  if ((input.amountRaw === undefined) !== (input.amount === undefined)) return
  const message = 'send either amountRaw or amount'
  context.addIssue({ code: 'custom', path: ['amountRaw'], params: { code: 'required' }, message })
}

const TipInput = z
  .strictObject(tipFields)
  .superRefine(requireOneAmount)
  .meta({ id: 'TipInput', oneOf: [{ required: ['amountRaw'] }, { required: ['amount'] }] })
export type TipInput = z.output<typeof TipInput>

const CreatedTip = z.object({ session: TipSession, statusUrl: z.string(), replayed: z.boolean() })
const tipping = {
  ...owner,
  method: 'POST',
  replies: { 201: CreatedTip, 200: CreatedTip },
  idempotency: paymentIdempotency,
  limits: newOrders,
} as const

export const tipPost = endpoint({
  ...tipping,
  path: '/api/v1/posts/{postId}/tips/session',
  summary: 'Tip the author of a post with Nano',
  description:
    'Send either `amountRaw` or `amount`. Pay exactly the quoted amount to the address within an hour. No commission is taken.',
  request: { params: z.object({ postId: Uuid }), body: TipInput },
  refusals: [publicPostNotFound, ownContent, tippingUnavailable, tooManyQuotes],
})

export const tipComment = endpoint({
  ...tipping,
  path: '/api/v1/comments/{commentId}/tips/session',
  summary: 'Tip the author of a comment with Nano',
  description:
    'Send either `amountRaw` or `amount`. Pay exactly the quoted amount to the address within an hour. No commission is taken.',
  request: { params: z.object({ commentId: Uuid }), body: TipInput },
  refusals: [commentNotFound, ownContent, tippingUnavailable, tooManyQuotes],
})

export const tipCommentOfPost = endpoint({
  ...tipping,
  path: '/api/v1/posts/{postId}/comments/{commentId}/tips/session',
  summary: 'Tip the author of a comment with Nano',
  description: 'The same as `tipComment`, with the post in the path. The comment must belong to that post.',
  request: { params: z.object({ postId: Uuid, commentId: Uuid }), body: TipInput },
  refusals: [commentNotFound, ownContent, tippingUnavailable, tooManyQuotes],
})

export const getTip = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/tips/{sessionId}',
  summary: 'Get a tip, or stream its changes',
  description: 'With `Accept: text/event-stream`, the connection stays open and each change is sent as an event.',
  request: { params: z.object({ sessionId: Uuid }), headers: accept },
  replies: { 200: Tip },
  events: 'A `tip` event with the whole record immediately, and after every change until it is `paid`.',
  refusals: [tipNotFound, tooManyStreams],
})
