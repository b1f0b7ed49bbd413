import { z } from 'zod'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { paymentIdempotency } from './idempotency.ts'
import {
  Atomic,
  accept,
  EphemeralAddress,
  either,
  newOrders,
  orderFields,
  owner,
  Quote,
  tooManyQuotes,
  tooManyStreams,
} from './order-fields.ts'
import { refusal } from './refusal.ts'
import { DateTime, queryInteger, Uuid } from './schemas.ts'

// Buying with Nano. Purchases with USDC are listed too.

export const Purchase = z
  .object({
    ...orderFields,
    ...either,
    quote: z.object({ amount_raw: Atomic, amount: z.string(), ...either, expires_at: DateTime }),
    ephemeral_address: EphemeralAddress.nullable().meta({
      description: 'Null for USDC, which goes directly to the creator.',
    }),
    entitlement: z.object({ source: z.string(), granted_at: DateTime }).nullable(),
  })
  .meta({ id: 'Purchase' })
export type Purchase = z.infer<typeof Purchase>

export const purchaseNotFound = refusal('purchase-not-found', 404, 'You have no purchase with this id.')
export const ownPost = refusal('own-post', 409, 'You cannot buy your own post.')
export const postIsFree = refusal('post-is-free', 409, 'This post is free.')
export const alreadyPurchased = refusal('already-purchased', 409, 'You have already bought this post.')
export const notSoldInNano = refusal('not-sold-in-nano', 409, 'This post cannot be bought with Nano right now.')
export const purchaseState = refusal('purchase-state', 409, 'The status of the purchase does not allow this.')
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
