import { checkoutInNano, type settleCheckout as declared, usdcSettlementPending } from '@pennypost/contract/checkout'
import { alreadyPurchased } from '@pennypost/contract/purchases'
import { hasBought } from '../../payments/entitlements/entitlement-store.ts'
import { recognizePayment, takePayment } from '../../payments/x402/take-payment.ts'
import { readPaymentSignature } from '../../payments/x402/x402-offer.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { accessUrl } from '../../posts/post-view.ts'
import { mayRead } from '../may-read.ts'
import type { Handler } from '../services.ts'
import { paymentRequiredReply, retryAfterSeconds, settledResponse } from '../x402/x402-replies.ts'
import { checkoutPaymentRequired, paidView } from './checkout-view.ts'
import { ownCheckout } from './own-checkout.ts'

export const settleCheckout: Handler<typeof declared> = async (
  services,
  { caller, params, headers, origin, ip, visit },
) => {
  const own = await ownCheckout(services, params.checkoutId, caller)
  if (own.asset === 'XNO') return refuse(checkoutInNano)
  const { checkout } = own
  const { id: checkoutId, post_id: postId, payee_id: payeeId } = checkout
  const required = async (reason?: string) =>
    paymentRequiredReply(await checkoutPaymentRequired(services, checkout, origin, reason))
  const signature = readPaymentSignature(headers['payment-signature'])
  if (!signature) return required()
  const presented = await recognizePayment(services, { purpose: 'checkout', postId, checkoutId }, signature, ip)
  if (!presented) return required('no_matching_payment_requirements')
  const accountId = checkout.account_id ?? undefined
  if (!presented.known) {
    // The post was withdrawn since: it is no longer sold.
    if (!(await mayRead(services, postId, {}))) return required('post_withdrawn')
    // The account has bought it in another way since: it is not charged again.
    if (accountId !== undefined && (await hasBought(services.db, accountId, postId))) refuse(alreadyPurchased)
  }
  const outcome = await takePayment(services, presented, 'purchase', { ip, accountId, payeeId, checkoutId })
  if (outcome?.kind === 'pending') return refuse(usdcSettlementPending, {}, { retryAfterSeconds })
  if (outcome?.kind === 'owned') return refuse(alreadyPurchased)
  if (outcome?.kind !== 'settled') return required(outcome?.kind === 'refused' ? outcome.reason : undefined)
  const { payment } = outcome
  return {
    status: 200,
    headers: settledResponse(services, payment, accessUrl(origin, postId)),
    body: await paidView(services, own, { origin, visit }, 'new', payment),
  }
}
