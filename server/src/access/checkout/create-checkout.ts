import { randomUUID } from 'node:crypto'
import { type createCheckout as declared, notSoldInUsdc } from '@pennypost/contract/checkout'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { paymentIdempotency } from '@pennypost/contract/idempotency'
import { alreadyPurchased, ownPost, postIsFree } from '@pennypost/contract/purchases'
import { checkoutSecret } from '../../accounts/checkout-secret.ts'
import { hasBought } from '../../payments/entitlements/entitlement-store.ts'
import { offerSeconds } from '../../payments/x402/x402-offer.ts'
import type { Tx } from '../../platform/database/database.ts'
import { clientAddress } from '../../platform/http/client-address.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { withIdempotencyKey } from '../../platform/idempotency.ts'
import { priceTerms } from '../../posts/post-view.ts'
import { offersOf } from '../../posts/pricing.ts'
import { mayRead } from '../may-read.ts'
import type { AccessServices, Handler } from '../services.ts'
import { addCheckout, findCheckout, findCheckoutPayment } from './checkout-store.ts'
import { checkoutPaymentRequired, checkoutView } from './checkout-view.ts'

export const createCheckout: Handler<typeof declared> = async (services, call) => {
  const { db, clock, secrets } = services
  const { caller, body, idempotencyKey, origin, ip } = call
  const accountId = caller.kind === 'owner-session' ? caller.accountId : null
  // A short key of a guest could be guessed, or chosen by two of them: it counts for their IP address only. A long one is
  // the guest's own, whatever network their phone is on.
  const isGuessable = accountId === null && !/^[\x21-\x7e]{32,}$/.test(idempotencyKey)
  const request = {
    scope: `checkout:${accountId ?? `guest ${isGuessable ? clientAddress(ip) : 'anywhere'}`}`,
    key: idempotencyKey,
    intent: { postId: body.postId },
    now: clock.now(),
    flavour: paymentIdempotency,
  }
  const { body: made, replayed } = await withIdempotencyKey(db, request, async (tx) => ({
    status: 201,
    body: { id: await open(services, tx, accountId, body.postId, origin) },
  }))
  // The key comes back after a week, while its checkout is being deleted.
  const checkout = (await findCheckout(db, made.id)) ?? refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 1 })
  const { offers: _, ...paymentRequired } = checkoutPaymentRequired(services, checkout, origin).body
  const shared = {
    checkout: checkoutView(checkout, await findCheckoutPayment(db, checkout.id), clock.now()),
    paymentRequired,
    statusUrl: `${origin}/api/v1/checkout/sessions/${checkout.id}`,
    replayed,
  }
  const checkoutCredential = checkoutSecret.of(secrets, checkout.id)
  if (!replayed) return { status: 201, body: { ...shared, checkoutCredential } }
  // Others share the IP address, so a key that could have been guessed does not get the credential again. Nothing is
  // paid without it, so a guest who lost it starts over.
  return { status: 200, body: { ...shared, checkoutCredential: isGuessable ? null : checkoutCredential } }
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
