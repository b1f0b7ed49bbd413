import { publicPostNotFound } from '@pennypost/contract/discovery'
import { ownContent, tippingUnavailable } from '@pennypost/contract/purchases'
import type { tipThroughX402 as declared } from '@pennypost/contract/x402-tips'
import { findTippablePost } from '../payments/sessions/sellable-store.ts'
import { findSession } from '../payments/sessions/session-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler, Services } from '../services.ts'
import { declineLate, offeredFor, pay, recall } from './x402/pay.ts'
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
  if (tippable.author_id === accountId) refuse(ownContent)
  const nanoAddress = tippable.nano_address ?? refuse(tippingUnavailable)

  const quoted = (error: string, failed?: PaymentRow) => {
    const subject = { purpose: 'tip', postId, nanoAddress, baseAddress: null } as const
    const accepts = [requirement(services, subject, 'XNO', query.amount_raw)]
    return paymentRequiredReply({ x402Version: 2, error, resource, accepts, offers: [] }, failed)
  }
  if (!presented) return quoted('Payment required')
  if (!offered) return quoted('no_matching_payment_requirements')
  const outcome = await pay(services, offered, known, { accountId, payeeId: tippable.author_id, ip })
  if (outcome.kind === 'pending') return paymentPendingReply(resource, outcome.payment)
  if (outcome.kind === 'settled') return sent(services, outcome.payment, resource.url)
  return outcome.kind === 'refused' ? quoted(outcome.reason, outcome.payment) : quoted('Payment required')
}

async function sent(services: Services, payment: PaymentRow, url: string) {
  const { id, state, amount_raw, created_at } = (await findSession(services.db, payment.session_id!))!
  const status = state === 'paid' ? ('paid' as const) : ('received' as const)
  const tip = { id, post_id: payment.post_id, status, amount_raw, created_at: created_at.toISOString() }
  return { status: 200 as const, headers: settledResponse(services, payment, url), body: { tip } }
}
