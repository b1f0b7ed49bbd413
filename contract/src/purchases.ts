import { z } from 'zod'
import { commentNotFound } from './comments.ts'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { paymentIdempotency } from './idempotency.ts'
import { limitsByAccountAndAddress } from './limit.ts'
import { parseAmount } from './money.ts'
import { refusal } from './refusal.ts'
import { AtomicAmount, DateTime, queryInteger, trimmedText, Uuid } from './schemas.ts'

// Buying and tipping with Nano: each order has an exact quote and its own address. Purchases with USDC are listed too.

export const Raw = z.string().meta({ description: 'A whole number of raw, the smallest unit of Nano.' })
const Atomic = z.string().meta({ description: 'A whole number of the smallest unit of the asset.' })

const nano = { asset: z.literal('XNO'), network: z.literal('nano:mainnet') }
const either = { asset: z.enum(['XNO', 'USDC']), network: z.enum(['nano:mainnet', 'eip155:8453']) }

const Quote = z
  .object({
    amount_raw: Raw,
    amount: z.string().meta({ description: 'In XNO, such as 0.25.' }),
    ...nano,
    expires_at: DateTime,
  })
  .meta({ id: 'NanoQuote' })

const EphemeralAddress = z
  .object({
    ephemeral_address: z.string(),
    expires_at: DateTime,
    uri: z.string().meta({ description: 'A `nano:` link with the address and the exact amount.' }),
  })
  .meta({ id: 'EphemeralAddress' })

const OrderStatus = z.enum(['pending', 'received', 'paid', 'cancelled', 'expired']).meta({
  description:
    '`received`: the full amount is confirmed and access is granted. `paid`: the creator has been paid. A full payment that arrives late, within 24 hours after the quote ended or was cancelled, buys if the price is not higher by then; otherwise it is returned.',
})

const shared = {
  id: Uuid,
  post_id: Uuid,
  status: OrderStatus,
  amount_raw: Atomic,
  received_raw: Atomic.meta({ description: 'Everything that was received, including what is refunded.' }),
  refunded_raw: Atomic.meta({
    description: 'What is returned to the senders: overpayments, payments that came too late, duplicates.',
  }),
  created_at: DateTime,
  received_at: DateTime.nullable(),
  paid_at: DateTime.nullable(),
  payout: z.object({
    status: z.enum(['none', 'waiting', 'blocked', 'confirmed']),
    block_hash: z.string().nullable().meta({ description: 'The block or transaction that paid the creator.' }),
  }),
}

export const Purchase = z
  .object({
    ...shared,
    ...either,
    quote: z.object({ amount_raw: Atomic, amount: z.string(), ...either, expires_at: DateTime }),
    ephemeral_address: EphemeralAddress.nullable().meta({
      description: 'Null for USDC, which goes directly to the creator.',
    }),
    entitlement: z.object({ source: z.string(), granted_at: DateTime }).nullable(),
  })
  .meta({ id: 'Purchase' })
export type Purchase = z.infer<typeof Purchase>

export const TipSession = z
  .object({
    ...shared,
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
    ...shared,
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

export const purchaseNotFound = refusal('purchase-not-found', 404, 'You have no purchase with this id.')
export const tipNotFound = refusal('tip-not-found', 404, 'You have no tip with this id.')
export const ownPost = refusal('own-post', 409, 'You cannot buy your own post.')
export const postIsFree = refusal('post-is-free', 409, 'This post is free.')
export const alreadyPurchased = refusal('already-purchased', 409, 'You have already bought this post.')
export const notSoldInNano = refusal('not-sold-in-nano', 409, 'This post cannot be bought with Nano right now.')
/** The most unpaid quotes an account can have. Each uses an address that is watched for an hour. */
export const maxPendingQuotes = 300
export const tooManyQuotes = refusal(
  'too-many-quotes',
  429,
  'Too many of your quotes are waiting for payment. Pay or cancel some, or wait until they expire.',
)
export const tooManyStreams = refusal(
  'too-many-streams',
  429,
  'You are watching too many orders at the same time. Close some, or get their status without a stream.',
)
export const purchaseState = refusal('purchase-state', 409, 'The status of the purchase does not allow this.')
export const ownContent = refusal('own-content', 409, 'You cannot tip yourself.')
export const tippingUnavailable = refusal('tipping-unavailable', 409, 'The author cannot receive tips.')

const owner = { tag: 'Purchases and tips', credential: 'owner-session', errors: 'problem' } as const
const newOrders = limitsByAccountAndAddress('orders', { account: 300, address: 1500, seconds: 60 })
const accept = z.object({ accept: z.string().optional() })

export const createPurchase = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/purchases/create',
  summary: 'Get a quote for a post, to pay with Nano',
  description: 'Amount and recipient are fixed for one hour. Send exactly the amount to the address.',
  request: { body: z.strictObject({ postId: Uuid }) },
  replies: {
    201: z.object({
      purchase: Purchase,
      quote: Quote,
      expiry: DateTime,
      ephemeral_address: EphemeralAddress,
      statusUrl: z.string(),
      replayed: z.boolean(),
    }),
    200: z.object({
      purchase: Purchase,
      quote: Quote,
      expiry: DateTime,
      ephemeral_address: EphemeralAddress,
      statusUrl: z.string(),
      replayed: z.boolean(),
    }),
  },
  refusals: [publicPostNotFound, ownPost, postIsFree, alreadyPurchased, notSoldInNano, tooManyQuotes],
  idempotency: paymentIdempotency,
  limits: newOrders,
})

export const listPurchases = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/purchases',
  summary: 'List your purchases, newest first',
  description: 'Includes purchases with USDC that were made by this account or moved into it.',
  request: {
    query: z.object({
      page: queryInteger({ min: 1, max: 1000, default: 1 }),
      per_page: queryInteger({ min: 1, max: 48, default: 12 }),
    }),
  },
  replies: {
    200: z.object({
      data: z.array(Purchase),
      total: z.number().int(),
      page: z.number().int(),
      perPage: z.number().int(),
    }),
  },
})

const purchaseParams = z.object({ purchaseId: Uuid })

export const getPurchase = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/purchases/{purchaseId}',
  summary: 'Get a purchase, or stream its changes',
  description: 'With `Accept: text/event-stream`, the connection stays open and each change is sent as an event.',
  request: { params: purchaseParams, headers: accept },
  replies: { 200: Purchase },
  events: 'A `purchase` event with the whole record immediately, and after every change until it is `paid`.',
  refusals: [purchaseNotFound, tooManyStreams],
})

export const claimPurchase = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/purchases/{purchaseId}/claim',
  summary: 'Get the receipt of a paid purchase',
  description: 'Possible as soon as the purchase is `received`. Claiming twice returns the same receipt.',
  request: { params: purchaseParams },
  replies: {
    200: z.object({
      purchase: Purchase,
      receipt: z.object({
        purchase_id: Uuid,
        post_id: Uuid,
        ...either,
        amount_raw: Atomic,
        granted_at: DateTime,
      }),
      session: z.null().meta({ description: 'Always null: the caller already has a session.' }),
    }),
  },
  refusals: [purchaseNotFound, purchaseState],
})

export const cancelPurchase = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/purchases/{purchaseId}/cancel',
  summary: 'Cancel an unpaid purchase',
  description:
    'Money that was already sent still buys if it is enough. Anything less is returned an hour after expiry.',
  request: { params: purchaseParams },
  replies: { 200: Purchase },
  refusals: [purchaseNotFound, purchaseState],
})

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
