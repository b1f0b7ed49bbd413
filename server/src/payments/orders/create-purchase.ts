import { publicPostNotFound } from '@pennypost/contract/discovery'
import { paymentIdempotency } from '@pennypost/contract/idempotency'
import { storedSale } from '@pennypost/contract/money'
import {
  alreadyPurchased,
  type createPurchase as declared,
  notSoldInNano,
  ownPost,
  postIsFree,
} from '@pennypost/contract/purchases'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { withIdempotencyKey } from '../../platform/idempotency.ts'
import { findSellablePost, offersOfSellable } from '../../posts/sellable-post.ts'
import { withNextAddress } from '../../rails/nano/custody/addresses.ts'
import { requireNano } from '../../rails/nano/require-nano.ts'
import { hasBought } from '../entitlements/entitlement-store.ts'
import { journalOrder } from '../recovery/journal-record.ts'
import type { Handler, PaymentServices } from '../services.ts'
import { openOrder, requireRoomForQuote } from './order-lifecycle.job.ts'
import { findOwnOrder, nanoPurchaseView, viewContextOf } from './order-view.ts'

export const createPurchase: Handler<typeof declared> = async (services, call) => {
  const { db, clock, pool } = services
  const { caller, body, idempotencyKey, origin } = call
  const payerId = caller.accountId
  const request = {
    scope: `purchase:${payerId}`,
    key: idempotencyKey,
    intent: { postId: body.postId },
    now: clock.now(),
    flavour: paymentIdempotency,
  }
  const { body: made, replayed } = await withNextAddress(services, () =>
    withIdempotencyKey(db, request, async (tx) => ({
      status: 201,
      body: { id: await quotePurchase(services, tx, payerId, body.postId, origin) },
    })),
  )
  await journalOrder(services, made.id)
  const order = (await findOwnOrder(pool, { id: made.id, payerId, kind: 'purchase' }))!
  const purchase = nanoPurchaseView(order, viewContextOf(services))
  return {
    status: replayed ? 200 : 201,
    body: {
      purchase,
      quote: purchase.quote,
      expiry: purchase.quote.expires_at,
      ephemeral_address: purchase.ephemeral_address,
      statusUrl: `${origin}/api/v1/purchases/${purchase.id}`,
      replayed,
    },
  }
}

/** Opens an order for a post. Without a payer it is a guest's. Returns its id. */
export async function quotePurchase(
  services: PaymentServices,
  tx: Tx,
  payerId: string | null,
  postId: string,
  origin: string,
): Promise<string> {
  const post = (await findSellablePost(tx, postId)) ?? refuse(publicPostNotFound)
  if (post.account_id === payerId) refuse(ownPost)
  const offers = offersOfSellable(services, post, origin)
  if (offers.length === 0) refuse(postIsFree)
  if (payerId !== null && (await hasBought(tx, payerId, postId))) refuse(alreadyPurchased)
  if (post.nano_address !== null) requireNano(services)
  const offer = offers.find(({ asset }) => asset === 'XNO')!
  if (offer.status !== 'ready') refuse(notSoldInNano, {}, { detail: offer.reason! })
  await requireRoomForQuote(services, tx, payerId)
  return openOrder(services, tx, {
    kind: 'purchase',
    payerId,
    payeeId: post.account_id,
    postId,
    commentId: null,
    message: null,
    sale: storedSale('XNO', offer.amountAtomic!, offer.feeAtomic!),
    recipient: post.nano_address!,
  })
}
