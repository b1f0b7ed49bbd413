import { publicPostNotFound } from '@pennypost/contract/discovery'
import { ownContent, tippingUnavailable } from '@pennypost/contract/purchases'
import type { tipThroughX402 as declared } from '@pennypost/contract/x402-tips'
import { findOrder } from '../payments/orders/order-store.ts'
import { findTippablePost } from '../payments/orders/sellable-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { AccessServices, Handler } from './services.ts'
import { declineLate, offeredFor, pay, paySent, recall } from './x402/pay.ts'
import { paymentPendingReply, paymentRequiredReply, resourceOf } from './x402/payment-required.ts'
import { settledResponse } from './x402/payment-response.ts'
import { readPaymentSignature } from './x402/payment-signature.ts'
import type { PaymentRow } from './x402/payment-store.ts'
import { requirement } from './x402/quote.ts'

/** Decisions §7: a tip needs no account. It is quoted and paid like a Post, and buys nothing. */
export const tipThroughX402: Handler<typeof declared> = async (services, call) => {
  const { caller, params, query, headers, origin, ip } = call
  const { postId } = params
  const accountId = caller.kind === 'owner-session' ? caller.accountId : undefined
  const presented = readPaymentSignature(headers['payment-signature'])
  const found = presented && offeredFor(services, { purpose: 'tip', postId }, presented)
  const offered = found?.quote.amount === BigInt(query.amount_raw) ? found : undefined
  const known = offered && (await recall(services, offered))
  const resource = resourceOf(
    `${origin}/api/posts/${postId}/tip?amount_raw=${query.amount_raw}`,
    'A tip for the author',
  )
  if (known?.kind === 'settled') return sent(services, known.payment, resource.url)
  const tippable = await findTippablePost(services.db, postId)
  if (!tippable) {
    if (known?.kind === 'pending') return paymentPendingReply(resource, known.payment)
    if (offered && !known) await declineLate(services, offered, ip)
    return refuse(publicPostNotFound)
  }
  const { author_id: payeeId, nano_address: nanoAddress } = tippable
  if (payeeId === accountId) {
    if (offered && !known) await declineLate(services, offered, ip)
    return refuse(ownContent)
  }
  const buyer = { accountId, payeeId, ip }
  // Without an address nothing is sent any more. What was sent before is the author's, and waits for an address.
  const onlySent = nanoAddress === null && !known
  const outcome =
    offered && (await (onlySent ? paySent(services, offered, buyer) : pay(services, offered, known, buyer)))
  if (outcome?.kind === 'pending') return paymentPendingReply(resource, outcome.payment)
  if (outcome?.kind === 'settled') return sent(services, outcome.payment, resource.url)
  if (nanoAddress === null) return refuse(tippingUnavailable)
  const subject = { purpose: 'tip', postId, nanoAddress, baseAddress: null } as const
  const accepts = [requirement(services, subject, 'XNO', query.amount_raw)]
  const tried = outcome?.kind === 'refused' ? outcome : undefined
  const unmatched = presented && !offered ? 'no_matching_payment_requirements' : undefined
  const error = tried?.reason ?? unmatched ?? 'Payment required'
  return paymentRequiredReply({ x402Version: 2, error, resource, accepts, offers: [] }, tried?.payment)
}

async function sent(services: AccessServices, payment: PaymentRow, url: string) {
  const { id, state, amount_raw, created_at } = (await findOrder(services.db, payment.order_id!))!
  const status = state === 'paid' ? ('paid' as const) : ('received' as const)
  const tip = { id, post_id: payment.post_id, status, amount_raw, created_at: created_at.toISOString() }
  return { status: 200 as const, headers: settledResponse(services, payment, url), body: { tip } }
}
