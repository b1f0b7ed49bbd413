import { randomUUID } from 'node:crypto'
import { type createCheckout as declared, notSoldInUsdc } from '@pennypost/contract/checkout'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { alreadyPurchased, ownPost, postIsFree } from '@pennypost/contract/purchases'
import { hasBought } from '../../payments/entitlements/entitlement-store.ts'
import { quotePurchase } from '../../payments/orders/create-purchase.ts'
import { offerSeconds } from '../../payments/x402/x402-offer.ts'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { priceTerms } from '../../posts/post-view.ts'
import { offersOf } from '../../posts/pricing.ts'
import { mayRead } from '../may-read.ts'
import type { AccessServices, Handler } from '../services.ts'
import { addCheckout, findCheckout, findCheckoutPayment } from './checkout-store.ts'
import { checkoutPaymentRequired, usdcCheckoutView } from './checkout-view.ts'
import { startCheckout, startNanoCheckout } from './start-checkout.ts'

export const createCheckout: Handler<typeof declared> = async (services, call) => {
  const { db, clock } = services
  const { body, origin } = call
  const { postId, asset } = body
  if (asset === 'XNO')
    return startNanoCheckout(services, call, 'checkout', { postId, asset }, (tx, accountId) =>
      quotePurchase(services, tx, accountId, postId, origin),
    )
  const { id, statusUrl, checkoutCredential, replayed } = await startCheckout(
    services,
    call,
    'checkout',
    { postId },
    (tx, accountId) => open(services, tx, accountId, postId, origin),
  )
  // The key comes back after a week, while its checkout is being deleted.
  const checkout = (await findCheckout(db, id)) ?? refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 1 })
  const { offers: _, ...paymentRequired } = await checkoutPaymentRequired(services, checkout, origin)
  const shared = {
    checkout: usdcCheckoutView(checkout, await findCheckoutPayment(db, checkout.id), clock.now()),
    paymentRequired,
    statusUrl,
    replayed,
  }
  return replayed
    ? { status: 200, body: { ...shared, checkoutCredential } }
    : { status: 201, body: { ...shared, checkoutCredential: checkoutCredential! } }
}

async function open(services: AccessServices, tx: Tx, accountId: string | null, postId: string, origin: string) {
  const { post } = (await mayRead(services, postId, {})) ?? refuse(publicPostNotFound)
  if (post.account_id === accountId) refuse(ownPost)
  const receives = { receives_nano: post.nano_address !== null, receives_base: post.base_address !== null }
  const offer = offersOf(priceTerms(services, post, receives, origin, post.has_zip)).find(
    ({ asset }) => asset === 'USDC',
  )
  if (!offer) return refuse(postIsFree)
  if (accountId !== null && (await hasBought(tx, accountId, postId))) refuse(alreadyPurchased)
  if (offer.status !== 'ready') refuse(notSoldInUsdc, {}, { detail: offer.reason! })
  const now = services.clock.now()
  const id = randomUUID()
  await addCheckout(tx, {
    id,
    post_id: postId,
    payee_id: post.account_id,
    account_id: accountId,
    pay_to: post.base_address!,
    amount: offer.amountAtomic!,
    created_at: now,
    expires_at: new Date(now.getTime() + offerSeconds * 1000),
  })
  return id
}
