import { z } from 'zod'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { paymentIdempotency } from './idempotency.ts'
import { limit } from './limit.ts'
import { alreadyPurchased, ownPost, postIsFree } from './purchases.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'
import { TokenPair } from './sessions.ts'
import {
  PaymentRequired,
  paymentHeaders,
  paymentIdentifierConflict,
  paymentMalformed,
  paymentReplyHeaders,
} from './x402.ts'

// Buying with USDC without an account, or for the account that is signed in.

const Checkout = z
  .object({
    id: Uuid,
    status: z.enum(['open', 'pending', 'paid', 'expired']),
    postId: Uuid,
    quote: z.object({
      amountAtomic: z.string(),
      amount: z.string(),
      asset: z.literal('USDC'),
      network: z.literal('eip155:8453'),
      payTo: z.string(),
    }),
    expiresAt: DateTime,
  })
  .meta({ id: 'Checkout' })
export type Checkout = z.infer<typeof Checkout>

const Receipt = z
  .object({
    success: z.literal(true),
    transaction: z.string(),
    network: z.string(),
    payer: z.string(),
    extensions: z.record(z.string(), z.unknown()).meta({
      description: '`offer-receipt`: the same, signed by this site (`/.well-known/did.json` has the key).',
    }),
  })
  .meta({ id: 'PaymentReceipt' })

const GuestSession = TokenPair.extend({ user: z.object({ id: Uuid }) }).meta({ id: 'GuestSession' })

const Paid = z.object({
  checkout: Checkout,
  receipt: Receipt.nullable(),
  session: GuestSession.nullable().meta({
    description: 'Of the anonymous account that a guest bought with; else null.',
  }),
})

const Created = z.object({
  checkout: Checkout,
  paymentRequired: PaymentRequired.omit({ offers: true }),
  checkoutCredential: z.string().meta({ description: 'Finds this one purchase again, and nothing else.' }),
  statusUrl: z.string(),
  replayed: z.boolean(),
})
const Replayed = Created.extend({
  checkoutCredential: z.string().nullable().meta({
    description: 'Null for a guest whose key is short: others might guess it.',
  }),
})

export const checkoutNotFound = refusal('checkout-not-found', 404, 'No checkout of yours has this id.')
export const notSoldInUsdc = refusal('not-sold-in-usdc', 409, 'This Post cannot be bought with USDC now.')
export const usdcSettlementPending = refusal(
  'usdc-settlement-pending',
  409,
  'The payment is under way and nobody knows yet how it ends: send the same request again, and sign nothing anew.',
)
export const checkoutUnpaid = refusal('checkout-unpaid', 409, 'This checkout is not paid: there is nothing to claim.')
export const checkoutClaimed = refusal('checkout-claimed', 409, 'Another account has claimed this purchase.')
export const guestCannotClaim = refusal('guest-cannot-claim', 403, 'Claim with an account that you can come back to.')

const checkouts = limit('checkouts', { per: 'account-or-ip', max: 120, seconds: 60 })
const tag = 'Checkout'
const params = z.object({ checkoutId: Uuid })
const path = '/api/v1/checkout/sessions/{checkoutId}'

export const createCheckout = endpoint({
  method: 'POST',
  path: '/api/v1/checkout/sessions',
  tag,
  summary: 'Begin to buy a Post with USDC',
  description:
    'With an owner session for that account; without one for a guest, whose `Idempotency-Key` is best one that nobody can guess, a uuid say. Keep `checkoutCredential`: it finds the purchase again. A replay answers it too, but not to a guest whose key has less than 32 characters, or others than visible ASCII.',
  credential: ['none', 'owner-session'],
  request: { body: z.strictObject({ postId: Uuid, asset: z.literal('USDC') }) },
  replies: { 201: Created, 200: Replayed },
  refusals: [publicPostNotFound, ownPost, postIsFree, alreadyPurchased, notSoldInUsdc],
  errors: 'problem',
  idempotency: paymentIdempotency,
  limits: [checkouts],
  cache: 'private',
})

const ofBuyer = { tag, credential: ['owner-session', 'checkout-credential'], errors: 'problem' } as const

export const settleCheckout = endpoint({
  ...ofBuyer,
  method: 'POST',
  path: `${path}/settle`,
  summary: 'Pay for a checkout',
  description: 'The same payment again answers the same. A guest gets the session of an anonymous account.',
  request: { params, headers: paymentHeaders.pick({ 'payment-signature': true }) },
  replies: { 200: Paid, 402: PaymentRequired },
  replyHeaders: paymentReplyHeaders,
  refusals: [checkoutNotFound, usdcSettlementPending, alreadyPurchased, paymentMalformed, paymentIdentifierConflict],
  limits: [checkouts],
})

export const getCheckout = endpoint({
  ...ofBuyer,
  method: 'GET',
  path,
  summary: 'What became of a checkout',
  request: { params },
  replies: { 200: Paid.omit({ session: true }) },
  refusals: [checkoutNotFound],
})

export const recoverCheckout = endpoint({
  ...ofBuyer,
  credential: 'checkout-credential',
  method: 'POST',
  path: `${path}/recover`,
  summary: 'Come back to what a guest bought',
  description:
    'A new session of the anonymous account, as long as it is one: an account with a login of its own is signed in to by that.',
  request: { params },
  replies: { 200: Paid },
  refusals: [checkoutNotFound, usdcSettlementPending],
  limits: [checkouts],
})

export const claimCheckout = endpoint({
  ...ofBuyer,
  credential: 'owner-session',
  method: 'POST',
  path: `${path}/claim`,
  summary: "Move a guest's purchase into your account",
  description: 'It moves once. What was paid for it stays in the financial lists of the account that paid.',
  request: { params, body: z.strictObject({ checkoutCredential: z.string().max(200) }) },
  replies: { 200: Paid },
  refusals: [checkoutNotFound, checkoutUnpaid, checkoutClaimed, guestCannotClaim],
  limits: [checkouts],
})
