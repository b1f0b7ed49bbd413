import { type settleCheckout as declared, usdcSettlementPending } from '@pennypost/contract/checkout'
import { alreadyPurchased } from '@pennypost/contract/purchases'
import { hasBought } from '../../payments/entitlements/entitlement-store.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { accessUrl } from '../../posts/post-view.ts'
import { mayRead } from '../may-read.ts'
import type { Handler } from '../services.ts'
import { offeredFor, pay, recall } from '../x402/pay.ts'
import { retryAfterSeconds, settledResponse } from '../x402/payment-response.ts'
import { readPaymentSignature } from '../x402/payment-signature.ts'
import { checkoutPaymentRequired, paidView } from './checkout-view.ts'
import { guestSession } from './guest-session.ts'
import { ownCheckout } from './own-checkout.ts'

export const settleCheckout: Handler<typeof declared> = async (services, { caller, params, headers, origin, ip }) => {
  const checkout = await ownCheckout(services.db, params.checkoutId, caller)
  const { id: checkoutId, post_id: postId, payee_id: payeeId } = checkout
  const required = (reason?: string) =>
    checkoutPaymentRequired(services, checkout, origin, reason === undefined ? undefined : { reason })
  const presented = readPaymentSignature(headers['payment-signature'])
  if (!presented) return required()
  const offered = offeredFor(services, { purpose: 'checkout', postId, checkoutId }, presented)
  if (!offered) return required('no_matching_payment_requirements')
  const known = await recall(services, offered)
  // Withdrawn since: what is not paid yet is not sold any more.
  if (!known && !(await mayRead(services, postId, {}))) return required('post_withdrawn')
  // Bought since, in another way: nobody is charged again.
  const accountId = checkout.account_id ?? undefined
  if (!known && accountId !== undefined && (await hasBought(services.db, accountId, postId))) refuse(alreadyPurchased)
  const buyer = { accountId, payeeId, checkoutId, ip }
  const outcome = await pay(services, offered, known, buyer)
  if (outcome.kind === 'pending') return refuse(usdcSettlementPending, {}, { retryAfterSeconds })
  if (outcome.kind === 'refused') return required(outcome.reason)
  if (outcome.kind === 'owned') return refuse(alreadyPurchased)
  const { payment } = outcome
  const session = await guestSession(services, checkout, payment)
  return {
    status: 200,
    headers: settledResponse(services, payment, accessUrl(origin, postId)),
    body: { ...paidView(services, checkout, payment, origin), session },
  }
}
