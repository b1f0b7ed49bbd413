import type { getAccess as declared } from '@pennypost/contract/access'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { refuse } from '../platform/http/refuse.ts'
import { accessUrl } from '../posts/post-view.ts'
import { accessView } from './access-view.ts'
import { countUse } from './gift-link-store.ts'
import { type Grant, mayRead, mayReadSigned } from './may-read.ts'
import { findContent } from './reading-store.ts'
import type { Handler } from './services.ts'
import { readingWallet } from './siwx/read-proof.ts'
import { listingOf } from './x402/bazaar.ts'
import { declineLate, offeredFor, pay, payThoughGranted, recall } from './x402/pay.ts'
import { paymentPendingReply, postPaymentRequired, resourceOf } from './x402/payment-required.ts'
import { settledResponse } from './x402/payment-response.ts'
import { readPaymentSignature } from './x402/payment-signature.ts'

/** Decisions §5, §7: what is theirs already is read first; only what is for sale, and new, is paid. */
export const getAccess: Handler<typeof declared> = async (services, { caller, params, query, headers, origin, ip }) => {
  const { postId } = params
  const accountId = caller.kind === 'owner-session' ? caller.accountId : undefined
  const presented = readPaymentSignature(headers['payment-signature'])
  const offered = presented && offeredFor(services, { purpose: 'access', postId }, presented)
  const known = offered && (await recall(services, offered))
  const settledAt = known?.kind === 'settled' ? known.payment.settled_at! : undefined
  const url = accessUrl(origin, postId)
  const reading = await mayReadSigned(services, postId, { accountId, giftToken: query.gift, settledAt }, () =>
    readingWallet(services, headers['sign-in-with-x'], url, ip),
  )
  if (!reading) {
    // Withdrawn while a payment is under way: whoever made it is told how it stands.
    if (known?.kind === 'pending') return paymentPendingReply(resourceOf(url, 'A Post'), known.payment)
    if (offered && !known) await declineLate(services, offered, ip)
    return refuse(publicPostNotFound)
  }
  const { post, grant } = reading

  const show = async (granted: Grant, replyHeaders: Record<string, string> = {}) => {
    const content = (await findContent(services.pool, postId)) ?? refuse(publicPostNotFound)
    if (granted.giftId !== undefined) await countUse(services.db, granted.giftId)
    return { status: 200 as const, headers: replyHeaders, body: accessView(postId, content, granted, origin) }
  }
  const buyer = { accountId, payeeId: post.account_id, ip, listing: listingOf(services, resourceOf(url, post.title)) }
  if (grant) {
    const paid = known ?? (offered && (await payThoughGranted(services, offered, grant, buyer)))
    if (paid?.kind !== 'settled') return show(grant)
    const { grant: bought } = (await mayRead(services, postId, { accountId, settledAt: paid.payment.settled_at! }))!
    return show(bought!, settledResponse(services, paid.payment, url))
  }
  if (!presented) return postPaymentRequired(services, post, origin)
  if (!offered) return postPaymentRequired(services, post, origin, { reason: 'no_matching_payment_requirements' })
  const outcome = await pay(services, offered, known, buyer)
  if (outcome.kind === 'refused') return postPaymentRequired(services, post, origin, outcome)
  if (outcome.kind === 'pending') return paymentPendingReply(resourceOf(url, post.title), outcome.payment)
  const reader = outcome.kind === 'owned' ? { wallet: outcome.wallet } : { settledAt: outcome.payment.settled_at! }
  const bought = await mayRead(services, postId, { accountId, ...reader })
  return show(bought!.grant!, outcome.kind === 'settled' ? settledResponse(services, outcome.payment, url) : {})
}
