import type { getAccess as declared, PostAccess } from '@pennypost/contract/access'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { filteredAsset } from '@pennypost/contract/offer-filter'
import { recognizePayment, settledAtOf, takePayment } from '../payments/x402/take-payment.ts'
import { readPaymentSignature } from '../payments/x402/x402-offer.ts'
import { refuse } from '../platform/http/refuse.ts'
import { resolveImages } from '../posts/markdown/images.ts'
import { accessUrl } from '../posts/post-view.ts'
import { publicAttachment } from '../uploads/attachment-view.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { countUse } from './gift-link-store.ts'
import { findContent, type Grant, keeps, mayRead, type PostContent, wantedPayment } from './may-read.ts'
import type { Handler } from './services.ts'
import { walletClaim } from './siwx/read-proof.ts'
import { bazaarListing } from './x402/bazaar.ts'
import { siwxExtension } from './x402/siwx-challenge.ts'
import {
  describedPost,
  paymentPendingReply,
  postPaymentRequired,
  refuseUnlessProved,
  resourceOf,
  settledResponse,
} from './x402/x402-replies.ts'

/** Replies with the post, or with a 402. A reader who has the post already sees it, and is not charged again. */
export const getAccess: Handler<typeof declared> = async (services, call) => {
  const { caller, params, query, headers, origin, ip, visit } = call
  const { postId } = params
  const accountId = caller.kind === 'owner-session' ? caller.accountId : undefined
  const signature = readPaymentSignature(headers['payment-signature'])
  const presented = signature && (await recognizePayment(services, { purpose: 'access', postId }, signature, ip))
  const url = accessUrl(origin, postId)
  const reading = await mayRead(services, postId, {
    accountId,
    giftToken: query.gift,
    settledAt: settledAtOf(presented),
    claim: query.siwx === 'read' ? walletClaim(services, call, url) : undefined,
  })
  const resource = () => resourceOf(url, reading ? describedPost(reading.post) : 'A post')
  const outcome =
    presented &&
    (await takePayment(services, presented, wantedPayment(reading), {
      ip,
      accountId,
      payeeId: reading?.post.account_id,
      listing: services.config.bazaar ? bazaarListing(resource(), services.site.settings().name) : undefined,
    }))
  const show = async (granted: Grant, replyHeaders: Record<string, string> = {}) => {
    const content = (await findContent(services.pool, postId)) ?? refuse(publicPostNotFound)
    if (granted.giftId !== undefined) await countUse(services.db, granted.giftId)
    const body = accessView(postId, content, granted, origin)
    // A wallet may have bought what is free, or given away, in part only.
    const isChallenged = query.siwx === 'read' && (granted.access === 'free' || granted.access === 'gift')
    const extensions = isChallenged ? siwxExtension(services, url) : undefined
    return { status: 200 as const, headers: replyHeaders, body: { ...body, extensions } }
  }
  if (outcome?.kind === 'settled') {
    // The payment has changed what the reader may read, so it is decided again, now for a buyer.
    const settledAt = outcome.payment.settled_at!
    const bought = (await mayRead(services, postId, { accountId, settledAt }))!
    return show(bought.grant!, settledResponse(services, outcome.payment, url))
  }
  if (reading?.grant) return show(reading.grant)
  // A payment is in progress for a post that was withdrawn since: its payer may see its state.
  if (outcome?.kind === 'pending') return paymentPendingReply(resource(), outcome.payment)
  if (!reading) return query.siwx === 'read' ? refuseUnlessProved(services, url) : refuse(publicPostNotFound)
  if (outcome?.kind === 'owned') {
    // The wallet that signed bought the post earlier, and is known only now.
    const bought = (await mayRead(services, postId, { accountId, wallet: outcome.wallet }))!
    return show(bought.grant!)
  }
  services.readers.note(postId, { ip, visit, sawPaywall: true })
  const tried = outcome?.kind === 'refused' ? outcome : undefined
  return postPaymentRequired(services, reading.post, {
    origin,
    asset: filteredAsset(query),
    tried: signature && !presented ? unmatched : tried,
  })
}

const unmatched = { reason: 'no_matching_payment_requirements' }

/** The parts of a post that a grant shows. Free readers see the free part only, even if the post had a paywall before. */
function accessView(postId: string, content: PostContent, grant: Grant, origin: string): PostAccess {
  const urlOf = imageUrls(content.image_paths, origin)
  const kept = content.retained.filter(({ removedAt }) => keeps(grant, removedAt === null ? null : new Date(removedAt)))
  const isWhole = grant.access !== 'free'
  return {
    access: grant.access,
    postId,
    contentMarkdown: content.free_markdown,
    contentHtml: resolveImages(content.free_html, urlOf),
    paidContentMarkdown: isWhole ? content.paid_markdown : null,
    paidContentHtml: isWhole ? resolveImages(content.paid_html, urlOf) : null,
    attachments: [...content.attachments, ...kept].map(publicAttachment),
    entitlement: grant.entitlement,
  }
}
