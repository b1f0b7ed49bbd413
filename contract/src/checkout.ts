import { z } from 'zod'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { paymentIdempotency } from './idempotency.ts'
import { limitsByAccountAndAddress } from './limit.ts'
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

// Buying with USDC, as a guest or with an account.

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
      description: '`offer-receipt`: the receipt as a JWS, signed with the key in `/.well-known/did.json`.',
    }),
  })
  .meta({ id: 'PaymentReceipt' })

const GuestSession = TokenPair.extend({ user: z.object({ id: Uuid }) }).meta({ id: 'GuestSession' })

const Paid = z.object({
  checkout: Checkout,
  receipt: Receipt.nullable(),
  session: GuestSession.nullable().meta({
    description: 'The session of the anonymous account that was created for a guest, otherwise null.',
  }),
})

const Created = z.object({
  checkout: Checkout,
  paymentRequired: PaymentRequired.omit({ offers: true }),
  checkoutCredential: z.string().meta({ description: 'Gives access to this purchase only.' }),
  statusUrl: z.string(),
  replayed: z.boolean(),
})
const Replayed = Created.extend({
  checkoutCredential: z.string().nullable().meta({
    description: 'Null for a guest with a short `Idempotency-Key`, which others might guess.',
  }),
})

export const checkoutNotFound = refusal('checkout-not-found', 404, 'You have no checkout with this id.')
export const notSoldInUsdc = refusal('not-sold-in-usdc', 409, 'This post cannot be bought with USDC right now.')
export const usdcSettlementPending = refusal(
  'usdc-settlement-pending',
  409,
  'The outcome of the payment is not known yet. Send the same request again, and do not sign a new payment.',
)
export const checkoutUnpaid = refusal(
  'checkout-unpaid',
  409,
  'This checkout has not been paid, so there is nothing to claim.',
)
export const checkoutClaimed = refusal('checkout-claimed', 409, 'Another account has already claimed this purchase.')
export const guestCannotClaim = refusal(
  'guest-cannot-claim',
  403,
  'A guest account cannot claim a purchase. Sign in by email or wallet first.',
)

const checkouts = limitsByAccountAndAddress('checkouts', { account: 300, address: 1500, seconds: 60 })
const tag = 'Checkout'
const params = z.object({ checkoutId: Uuid })
const path = '/api/v1/checkout/sessions/{checkoutId}'

export const createCheckout = endpoint({
  method: 'POST',
  path: '/api/v1/checkout/sessions',
  tag,
  summary: 'Start buying a post with USDC',
  description:
    'With an owner session, for that account; without one, as a guest. A guest should use an `Idempotency-Key` that nobody can guess, such as a UUID. Keep `checkoutCredential`: it gives access to the purchase. A replay returns it too, except to a guest whose key has fewer than 32 characters or characters other than visible ASCII.',
  credential: ['none', 'owner-session'],
  request: { body: z.strictObject({ postId: Uuid, asset: z.literal('USDC') }) },
  replies: { 201: Created, 200: Replayed },
  refusals: [publicPostNotFound, ownPost, postIsFree, alreadyPurchased, notSoldInUsdc],
  errors: 'problem',
  idempotency: paymentIdempotency,
  limits: checkouts,
  cache: 'private',
})

const ofBuyer = { tag, credential: ['owner-session', 'checkout-credential'], errors: 'problem' } as const

export const settleCheckout = endpoint({
  ...ofBuyer,
  method: 'POST',
  path: `${path}/settle`,
  summary: 'Pay for a checkout',
  description:
    'Sending the same payment again returns the same reply. A guest gets the session of an anonymous account.',
  request: { params, headers: paymentHeaders.pick({ 'payment-signature': true }) },
  replies: { 200: Paid, 402: PaymentRequired },
  replyHeaders: paymentReplyHeaders,
  refusals: [checkoutNotFound, usdcSettlementPending, alreadyPurchased, paymentMalformed, paymentIdentifierConflict],
  limits: checkouts,
})

export const getCheckout = endpoint({
  ...ofBuyer,
  method: 'GET',
  path,
  summary: 'Get the status of a checkout',
  description: '`receipt` is null until the checkout is `paid`.',
  request: { params },
  replies: { 200: Paid.omit({ session: true }) },
  refusals: [checkoutNotFound],
})

export const recoverCheckout = endpoint({
  ...ofBuyer,
  credential: 'checkout-credential',
  method: 'POST',
  path: `${path}/recover`,
  summary: 'Get a new session for a guest purchase',
  description:
    'Returns a new session of the anonymous account. Not possible once that account has an email or wallet to sign in with.',
  request: { params },
  replies: { 200: Paid },
  refusals: [checkoutNotFound, usdcSettlementPending],
  limits: checkouts,
})

export const claimCheckout = endpoint({
  ...ofBuyer,
  credential: 'owner-session',
  method: 'POST',
  path: `${path}/claim`,
  summary: 'Move a guest purchase into your account',
  description: 'A purchase can be moved once. The payment stays in the financial lists of the account that paid.',
  request: { params, body: z.strictObject({ checkoutCredential: z.string().max(200) }) },
  replies: { 200: Paid },
  refusals: [checkoutNotFound, checkoutUnpaid, checkoutClaimed, guestCannotClaim],
  limits: checkouts,
})
