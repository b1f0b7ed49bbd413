import type { getAccess as declared } from '@pennypost/contract/access'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { recognizePayment, settledAtOf, takePayment } from '../payments/x402/take-payment.ts'
import { readPaymentSignature } from '../payments/x402/x402-offer.ts'
import { refuse } from '../platform/http/refuse.ts'
import { accessUrl } from '../posts/post-view.ts'
import { accessView } from './access-view.ts'
import { countUse } from './gift-link-store.ts'
import { type Grant, mayRead, wantedPayment } from './may-read.ts'
import { findContent } from './reading-store.ts'
import type { Handler } from './services.ts'
import { walletClaim } from './siwx/read-proof.ts'
import {
  listingOf,
  paymentPendingReply,
  postPaymentRequired,
  resourceOf,
  settledResponse,
} from './x402/x402-replies.ts'

/** What the reader has already is shown first; only what is for sale, and new, is paid. */
export const getAccess: Handler<typeof declared> = async (services, { caller, params, query, headers, origin, ip }) => {
  const { postId } = params
  const accountId = caller.kind === 'owner-session' ? caller.accountId : undefined
  const signature = readPaymentSignature(headers['payment-signature'])
  const presented = signature && (await recognizePayment(services, { purpose: 'access', postId }, signature))
  const url = accessUrl(origin, postId)
  const reading = await mayRead(services, postId, {
    accountId,
    giftToken: query.gift,
    settledAt: settledAtOf(presented),
    claim: walletClaim(services, headers['sign-in-with-x'], url, ip),
  })
  const resource = resourceOf(url, reading?.post.title ?? 'A Post')
  const outcome =
    presented &&
    (await takePayment(services, presented, wantedPayment(reading), {
      ip,
      accountId,
      payeeId: reading?.post.account_id,
      listing: listingOf(services, resource),
    }))
  const show = async (granted: Grant, replyHeaders: Record<string, string> = {}) => {
    const content = (await findContent(services.pool, postId)) ?? refuse(publicPostNotFound)
    if (granted.giftId !== undefined) await countUse(services.db, granted.giftId)
    return { status: 200 as const, headers: replyHeaders, body: accessView(postId, content, granted, origin) }
  }
  if (outcome?.kind === 'settled') {
    // The payment has changed the answer: the reader is asked about once more, now as its buyer.
    const settledAt = outcome.payment.settled_at!
    const bought = (await mayRead(services, postId, { accountId, settledAt }))!
    return show(bought.grant!, settledResponse(services, outcome.payment, url))
  }
  if (reading?.grant) return show(reading.grant)
  // A payment is under way for a post that was withdrawn since: its payer learns how it stands.
  if (outcome?.kind === 'pending') return paymentPendingReply(resource, outcome.payment)
  if (!reading) return refuse(publicPostNotFound)
  if (outcome?.kind === 'owned') {
    // The wallet that signed bought the post earlier, and is known only now.
    const bought = (await mayRead(services, postId, { accountId, wallet: outcome.wallet }))!
    return show(bought.grant!)
  }
  const tried = outcome?.kind === 'refused' ? outcome : undefined
  return postPaymentRequired(services, reading.post, origin, signature && !presented ? unmatched : tried)
}

const unmatched = { reason: 'no_matching_payment_requirements' }
