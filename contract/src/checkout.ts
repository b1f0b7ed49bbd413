import { z } from 'zod'
import { commentNotFound } from './comments.ts'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { paymentIdempotency } from './idempotency.ts'
import { limit, limitsByAccountAndAddress } from './limit.ts'
import { Raw, tooManyQuotes, tooManyStreams } from './order-fields.ts'
import { alreadyPurchased, notSoldInNano, ownPost, postIsFree } from './purchases.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'
import { TokenPair } from './sessions.ts'
import { ownContent, requireOneAmount, tipFields, tippingUnavailable } from './tips.ts'
import {
  PaymentRequired,
  paymentHeaders,
  paymentIdentifierConflict,
  paymentMalformed,
  paymentReplyHeaders,
} from './x402.ts'

// Buying without an account, with Nano or USDC. The same operations work for the account that is signed in.

const shared = { id: Uuid, postId: Uuid, expiresAt: DateTime }

const UsdcCheckout = z
  .object({
    ...shared,
    status: z.enum(['open', 'pending', 'paid', 'expired']).meta({
      description: '`pending`: a payment was sent and its outcome is not known yet.',
    }),
    quote: z.object({
      amountAtomic: z.string(),
      amount: z.string(),
      asset: z.literal('USDC'),
      network: z.literal('eip155:8453'),
      payTo: z.string(),
    }),
  })
  .meta({ id: 'UsdcCheckout' })
export type UsdcCheckout = z.infer<typeof UsdcCheckout>

const NanoCheckout = z
  .object({
    ...shared,
    kind: z.enum(['purchase', 'tip']),
    status: z.enum(['open', 'paid', 'expired', 'cancelled']).meta({
      description:
        '`paid`: the full amount is confirmed, and the post can be read. A full payment that arrives within 24 hours after the checkout expired still buys if the price is not higher by then.',
    }),
    quote: z.object({
      amountRaw: Raw,
      amount: z.string().meta({ description: 'In XNO, such as 0.25.' }),
      asset: z.literal('XNO'),
      network: z.literal('nano:mainnet'),
    }),
    receivedRaw: Raw.meta({ description: 'Everything that was received. Parts add up.' }),
    refundedRaw: Raw.meta({ description: 'What is returned to its senders, because it did not buy anything.' }),
  })
  .meta({ id: 'NanoCheckout' })
export type NanoCheckout = z.infer<typeof NanoCheckout>

const NanoPayment = z
  .object({
    address: z.string().meta({ description: 'Of this checkout alone.' }),
    amountRaw: Raw,
    uri: z.string().meta({ description: 'A `nano:` link with the address and the exact amount, for a QR code.' }),
  })
  .meta({ id: 'NanoPayment' })

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
  checkout: z.union([UsdcCheckout, NanoCheckout]),
  receipt: Receipt.nullable(),
  session: GuestSession.nullable().meta({
    description: 'The session of the anonymous account that was created for a guest, otherwise null.',
  }),
})

const credential = z.string().meta({ description: 'Gives access to this purchase only.' })
const maybeCredential = z.string().nullable().meta({
  description: 'Null for a guest with a short `Idempotency-Key`, which others might guess.',
})
const started = { statusUrl: z.string(), replayed: z.boolean() }

const usdcStarted = { checkout: UsdcCheckout, paymentRequired: PaymentRequired.omit({ offers: true }), ...started }
const nanoStarted = { checkout: NanoCheckout, ...started }
const StartedWithNano = z.object({ ...nanoStarted, payment: NanoPayment, checkoutCredential: credential })
const ReplayedWithNano = z.object({
  ...nanoStarted,
  payment: NanoPayment.nullable().meta({
    description: 'Null for a guest with a short `Idempotency-Key`: the checkout may be that of another guest.',
  }),
  checkoutCredential: maybeCredential,
})
const Started = z.union([z.object({ ...usdcStarted, checkoutCredential: credential }), StartedWithNano])
const Replayed = z.union([z.object({ ...usdcStarted, checkoutCredential: maybeCredential }), ReplayedWithNano])

export const checkoutNotFound = refusal('checkout-not-found', 404, 'You have no checkout with this id.')
export const notSoldInUsdc = refusal('not-sold-in-usdc', 409, 'This post cannot be bought with USDC right now.')
export const checkoutInNano = refusal(
  'checkout-in-nano',
  409,
  'This checkout is paid by sending Nano to its address. There is nothing to settle.',
)
export const guestCheckoutBusy = refusal(
  'guest-checkout-busy',
  503,
  'Too many guest checkouts in Nano are open right now. Try again later, or sign in first.',
)
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
/** Each order of a guest takes an address, which is watched for a month. */
export const guestOrders = limit('guest-orders', { per: 'ip', max: 300, seconds: 3600 })
const tag = 'Checkout'
const params = z.object({ checkoutId: Uuid })
const path = '/api/v1/checkout/sessions/{checkoutId}'

const starting = {
  method: 'POST',
  tag,
  credential: ['none', 'owner-session'],
  errors: 'problem',
  idempotency: paymentIdempotency,
  limits: checkouts,
  handlerLimits: [guestOrders],
  cache: 'private',
} as const

const keepCredential =
  'A guest should use an `Idempotency-Key` that nobody can guess, such as a UUID. Keep `checkoutCredential`: it gives access to the purchase. A replay returns it too, except to a guest whose key has fewer than 32 characters or characters other than visible ASCII.'

export const createCheckout = endpoint({
  ...starting,
  path: '/api/v1/checkout/sessions',
  summary: 'Start buying a post, with or without an account',
  description: `With an owner session, for that account; without one, as a guest. With USDC, sign \`paymentRequired\` and settle. With Nano, send the amount to \`payment.address\` within an hour and watch \`statusUrl\`. ${keepCredential}`,
  request: { body: z.strictObject({ postId: Uuid, asset: z.enum(['USDC', 'XNO']) }) },
  replies: { 201: Started, 200: Replayed },
  refusals: [
    publicPostNotFound,
    ownPost,
    postIsFree,
    alreadyPurchased,
    notSoldInUsdc,
    notSoldInNano,
    tooManyQuotes,
    guestCheckoutBusy,
  ],
})

export const createTipCheckout = endpoint({
  ...starting,
  path: '/api/v1/checkout/tips',
  summary: 'Start tipping with Nano, with or without an account',
  description: `The tip is for the author of the post or comment. Send the amount to \`payment.address\` within an hour and watch \`statusUrl\`, which is that of a checkout. A guest's tip is shown without a name. ${keepCredential}`,
  request: {
    body: z
      .strictObject({ postId: Uuid.optional(), commentId: Uuid.optional(), ...tipFields })
      .superRefine((input, context) => {
        requireOneAmount(input, context)
        if ((input.postId === undefined) === (input.commentId === undefined)) {
          const message = 'send either postId or commentId'
          context.addIssue({ code: 'custom', path: ['postId'], params: { code: 'required' }, message })
        }
      })
      .meta({
        id: 'TipCheckoutInput',
        oneOf: ['postId', 'commentId'].flatMap((target) =>
          ['amountRaw', 'amount'].map((amount) => ({ required: [target, amount] })),
        ),
      }),
  },
  replies: { 201: StartedWithNano, 200: ReplayedWithNano },
  refusals: [publicPostNotFound, commentNotFound, ownContent, tippingUnavailable, tooManyQuotes, guestCheckoutBusy],
})

const ofBuyer = { tag, credential: ['owner-session', 'checkout-credential'], errors: 'problem' } as const

export const settleCheckout = endpoint({
  ...ofBuyer,
  method: 'POST',
  path: `${path}/settle`,
  summary: 'Pay for a checkout with USDC',
  description:
    'Sending the same payment again returns the same reply. A guest gets the session of an anonymous account.',
  request: { params, headers: paymentHeaders.pick({ 'payment-signature': true }) },
  replies: { 200: Paid, 402: PaymentRequired },
  replyHeaders: paymentReplyHeaders,
  refusals: [
    checkoutNotFound,
    checkoutInNano,
    usdcSettlementPending,
    alreadyPurchased,
    paymentMalformed,
    paymentIdentifierConflict,
  ],
  limits: checkouts,
})

export const getCheckout = endpoint({
  ...ofBuyer,
  method: 'GET',
  path,
  summary: 'Get the status of a checkout, or stream its changes',
  description:
    'Once it is paid, a guest who sends the credential gets the session of the anonymous account. The same one is returned for a minute, then a new one.',
  request: { params, headers: z.object({ accept: z.string().optional() }) },
  replies: { 200: Paid },
  events: 'A `checkout` event with the whole reply immediately, and after every change until it is `paid`.',
  refusals: [checkoutNotFound, tooManyStreams],
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
