import { z } from 'zod'
import { commentNotFound } from './comments.ts'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { paymentIdempotency } from './idempotency.ts'
import { limit } from './limit.ts'
import { AtomicAmount, parseAmount } from './money.ts'
import { refusal } from './refusal.ts'
import { DateTime, queryInteger, trimmedText, Uuid } from './schemas.ts'

// Buying and tipping with Nano: an exact quote, an address of its own, and what became of the money (decisions §7). What
// was bought with USDC is listed beside it.

const Raw = z.string().meta({ description: "Nano's raw, a whole number in digits." })
const Atomic = z.string().meta({ description: "The asset's smallest unit, a whole number in digits." })

const nano = { asset: z.literal('XNO'), network: z.literal('nano:mainnet') }
const either = { asset: z.enum(['XNO', 'USDC']), network: z.enum(['nano:mainnet', 'eip155:8453']) }

const Quote = z
  .object({
    amount_raw: Raw,
    amount: z.string().meta({ description: 'The same in XNO.' }),
    ...nano,
    expires_at: DateTime,
  })
  .meta({ id: 'NanoQuote' })

const EphemeralAddress = z
  .object({
    ephemeral_address: z.string(),
    expires_at: DateTime,
    uri: z.string().meta({ description: 'What wallets open: the address with the exact amount.' }),
  })
  .meta({ id: 'EphemeralAddress' })

const OrderStatus = z.enum(['pending', 'received', 'paid', 'cancelled', 'expired']).meta({
  description:
    '`received`: confirmed in full, and what was bought is granted. `paid`: the creator has the money. Money that comes late, but in full, still buys.',
})

const shared = {
  id: Uuid,
  post_id: Uuid,
  status: OrderStatus,
  amount_raw: Atomic,
  received_raw: Atomic.meta({ description: 'All that came, whatever became of it.' }),
  refunded_raw: Atomic.meta({
    description: 'What goes back to its senders: too much, too late for its purpose, twice.',
  }),
  created_at: DateTime,
  received_at: DateTime.nullable(),
  paid_at: DateTime.nullable(),
  payout: z.object({
    status: z.enum(['none', 'waiting', 'blocked', 'confirmed']),
    block_hash: z.string().nullable().meta({ description: 'What brought the money to the creator.' }),
  }),
}

export const Purchase = z
  .object({
    ...shared,
    ...either,
    quote: z.object({ amount_raw: Atomic, amount: z.string(), ...either, expires_at: DateTime }),
    ephemeral_address: EphemeralAddress.nullable().meta({
      description: 'Null for USDC, which goes straight to the creator.',
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

export const purchaseNotFound = refusal('purchase-not-found', 404, 'No purchase of yours has this id.')
export const tipNotFound = refusal('tip-not-found', 404, 'No tip of yours has this id.')
export const ownPost = refusal('own-post', 409, 'This is your own Post: you can read it.')
export const postIsFree = refusal('post-is-free', 409, 'This Post is free: there is nothing to buy.')
export const alreadyPurchased = refusal('already-purchased', 409, 'You have bought this Post already.')
export const notSoldInNano = refusal('not-sold-in-nano', 409, 'This Post cannot be bought with Nano now.')
/** How many quotes of one account can wait for their money at once: each has an address that is watched for an hour. */
export const mostPendingQuotes = 300
export const tooManyQuotes = refusal(
  'too-many-quotes',
  429,
  'Too many of your quotes wait to be paid: pay or cancel some, or wait until they expire.',
)
export const purchaseState = refusal('purchase-state', 409, 'The purchase is in a state that does not allow this.')
export const ownContent = refusal('own-content', 409, 'You cannot tip yourself.')
export const tippingUnavailable = refusal('tipping-unavailable', 409, 'The author has no address for tips.')

const owner = { tag: 'Purchases and tips', credential: 'owner-session', errors: 'problem' } as const
const newOrders = limit('orders', { per: 'account', max: 300, seconds: 60 })
const accept = z.object({ accept: z.string().optional() })

export const createPurchase = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/purchases/create',
  summary: 'Quote a Post, to be paid with Nano',
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
  limits: [newOrders],
})

export const listPurchases = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/purchases',
  summary: 'Your purchases, the newest first',
  description: 'With Nano, and those that were paid with USDC for this account or moved into it.',
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
  summary: 'One of your purchases, or each change of it',
  request: { params: purchaseParams, headers: accept },
  replies: { 200: Purchase },
  events: 'An event `purchase` with the whole record at once, and with every change until it is `paid`.',
  refusals: [purchaseNotFound],
})

export const claimPurchase = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/purchases/{purchaseId}/claim',
  summary: 'The receipt of a purchase that was paid for',
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
      session: z.null().meta({ description: 'Whoever has an account needs no new session.' }),
    }),
  },
  refusals: [purchaseNotFound, purchaseState],
})

export const cancelPurchase = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/purchases/{purchaseId}/cancel',
  summary: 'Give up a purchase that was not paid for',
  description: 'Money that was sent already still buys when it is enough; less goes back an hour after the expiry.',
  request: { params: purchaseParams },
  replies: { 200: Purchase },
  refusals: [purchaseNotFound, purchaseState],
})

/** Decisions §7: the smallest tip. */
export const leastTipRaw = 10n ** 27n
const mostTipRaw = 2n ** 128n - 1n

export const TipAmountRaw = AtomicAmount.refine(
  // What are no digits at all is said by the type.
  (text) => !/^\d+$/.test(text) || (BigInt(text) >= leastTipRaw && BigInt(text) <= mostTipRaw),
  `must be at least ${leastTipRaw} raw, and no more than there is`,
)

const TipInput = z
  .strictObject({
    amountRaw: TipAmountRaw.optional(),
    amount: z
      .union([z.number(), z.string()])
      .transform((xno, context) => {
        const raw = parseAmount('XNO', String(xno))
        if (raw !== undefined) return raw
        context.addIssue({ code: 'custom', params: { code: 'invalid_format' }, message: 'must be an amount of XNO' })
        return z.NEVER
      })
      .meta({ openapi: { type: ['number', 'string'], description: "One of the author's amounts, in XNO." } })
      .optional(),
    message: trimmedText(0, 280).nullish(),
  })
  .superRefine((input, context) => {
    if ((input.amountRaw === undefined) === (input.amount === undefined)) {
      const message = 'send either amountRaw or amount'
      context.addIssue({ code: 'custom', path: ['amountRaw'], params: { code: 'required' }, message })
    }
  })
  .meta({ id: 'TipInput' })
export type TipInput = z.output<typeof TipInput>

const CreatedTip = z.object({ session: TipSession, statusUrl: z.string(), replayed: z.boolean() })
const tipping = {
  ...owner,
  method: 'POST',
  replies: { 201: CreatedTip, 200: CreatedTip },
  idempotency: paymentIdempotency,
  limits: [newOrders],
} as const

export const tipPost = endpoint({
  ...tipping,
  path: '/api/v1/posts/{postId}/tips/session',
  summary: 'Tip the author of a Post with Nano',
  request: { params: z.object({ postId: Uuid }), body: TipInput },
  refusals: [publicPostNotFound, ownContent, tippingUnavailable, tooManyQuotes],
})

export const tipComment = endpoint({
  ...tipping,
  path: '/api/v1/comments/{commentId}/tips/session',
  summary: 'Tip the author of a Comment with Nano',
  request: { params: z.object({ commentId: Uuid }), body: TipInput },
  refusals: [commentNotFound, ownContent, tippingUnavailable, tooManyQuotes],
})

export const tipCommentOfPost = endpoint({
  ...tipping,
  path: '/api/v1/posts/{postId}/comments/{commentId}/tips/session',
  summary: 'Tip the author of a Comment with Nano',
  request: { params: z.object({ postId: Uuid, commentId: Uuid }), body: TipInput },
  refusals: [commentNotFound, ownContent, tippingUnavailable, tooManyQuotes],
})

export const getTip = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/tips/{sessionId}',
  summary: 'One of your tips, or each change of it',
  request: { params: z.object({ sessionId: Uuid }), headers: accept },
  replies: { 200: TipSession },
  events: 'An event `tip` with the whole record at once, and with every change until it is `paid`.',
  refusals: [tipNotFound],
})
