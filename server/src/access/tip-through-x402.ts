import { publicPostNotFound } from '@pennypost/contract/discovery'
import { ownContent, tippingUnavailable } from '@pennypost/contract/purchases'
import type { tipThroughX402 as declared } from '@pennypost/contract/x402-tips'
import { findOrder } from '../payments/orders/order-store.ts'
import { findTippablePost } from '../payments/orders/tippable-store.ts'
import type { PaymentRow } from '../payments/x402/payment-store.ts'
import { recognizePayment, takePayment } from '../payments/x402/take-payment.ts'
import { makeOffer, readPaymentSignature } from '../payments/x402/x402-offer.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { AccessServices, Handler } from './services.ts'
import { paymentPendingReply, paymentRequiredReply, resourceOf, settledResponse } from './x402/x402-replies.ts'

/** A tip needs no account. It is offered and paid like a post, and buys nothing. */
export const tipThroughX402: Handler<typeof declared> = async (services, call) => {
  const { caller, params, query, headers, origin, ip } = call
  const { postId } = params
  const accountId = caller.kind === 'owner-session' ? caller.accountId : undefined
  const signature = readPaymentSignature(headers['payment-signature'])
  const subject = { purpose: 'tip', postId, amount: BigInt(query.amount_raw) } as const
  const presented = signature && (await recognizePayment(services, subject, signature))
  const url = `${origin}/api/posts/${postId}/tip?amount_raw=${query.amount_raw}`
  const resource = resourceOf(url, 'A tip for the author')
  const known = presented?.known
  if (known?.kind === 'settled') return sent(services, known.payment, url)
  const tippable = await findTippablePost(services.db, postId)
  const isOwn = tippable?.author_id === accountId
  const nanoAddress = (services.nano.isOn() && tippable?.nano_address) || null
  // Without an address nothing new is sent. What was sent before is the author's, and waits for an address.
  const isPossible = nanoAddress !== null || known !== undefined
  const wanted = !tippable || isOwn ? 'nothing' : isPossible ? 'purchase' : 'what was sent'
  const outcome =
    presented && (await takePayment(services, presented, wanted, { ip, accountId, payeeId: tippable?.author_id }))
  if (tippable && isOwn) return refuse(ownContent)
  if (outcome?.kind === 'pending') return paymentPendingReply(resource, outcome.payment)
  if (!tippable) return refuse(publicPostNotFound)
  if (outcome?.kind === 'settled') return sent(services, outcome.payment, url)
  if (nanoAddress === null) return refuse(tippingUnavailable)
  const recipients = { XNO: nanoAddress, USDC: null }
  const accepts = [makeOffer(services, { purpose: 'tip', postId, recipients }, 'XNO', query.amount_raw)]
  const tried = outcome?.kind === 'refused' ? outcome : undefined
  const unmatched = signature && !presented ? 'no_matching_payment_requirements' : undefined
  const error = tried?.reason ?? unmatched ?? 'Payment required'
  return paymentRequiredReply({ x402Version: 2, error, resource, accepts, offers: [] }, tried?.payment)
}

async function sent(services: AccessServices, payment: PaymentRow, url: string) {
  const { id, state, amount_raw, created_at } = (await findOrder(services.db, payment.order_id!))!
  const status = state === 'paid' ? ('paid' as const) : ('received' as const)
  const tip = { id, post_id: payment.post_id, status, amount_raw, created_at: created_at.toISOString() }
  return { status: 200 as const, headers: settledResponse(services, payment, url), body: { tip } }
}
