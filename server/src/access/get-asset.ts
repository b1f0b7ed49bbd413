import { type getAsset as declared, postPaymentUnsettled } from '@pennypost/contract/access'
import { assetNotFound } from '@pennypost/contract/attachments'
import { filteredAsset } from '@pennypost/contract/offer-filter'
import { recognizePayment, settledAtOf, takePayment } from '../payments/x402/take-payment.ts'
import { readPaymentSignature } from '../payments/x402/x402-offer.ts'
import { refuse } from '../platform/http/refuse.ts'
import { accessUrl } from '../posts/post-view.ts'
import { type AttachmentRow, findAttachment } from '../uploads/attachment-store.ts'
import { assetPath } from '../uploads/attachment-view.ts'
import { findOperation } from '../uploads/operation-store.ts'
import { zipReply } from '../uploads/zip-reply.ts'
import { type Grant, keeps, mayRead, wantedPayment } from './may-read.ts'
import type { Handler } from './services.ts'
import { walletClaim } from './siwx/read-proof.ts'
import { postPaymentRequired, refuseUnlessProved, settledResponse } from './x402/x402-replies.ts'

/** Checks first who may read, then whether the ZIP is safe. A ZIP is bought with its post: nothing is sold here. */
export const getAsset: Handler<typeof declared> = async (services, call) => {
  const { caller, params, query, headers, origin, ip } = call
  const { db } = services
  const url = origin + assetPath(params.assetId)
  const nothingHere = () => (query.siwx === 'read' ? refuseUnlessProved(services, url) : refuse(assetNotFound))
  const signature = readPaymentSignature(headers['payment-signature'])
  const claim = query.siwx === 'read' ? walletClaim(services, call, url) : undefined
  const attachment = await findAttachment(db, params.assetId)
  if (!attachment) {
    // A claim is verified for a ZIP that does not exist too, so that the reply is the same.
    await claim?.isProved()
    return nothingHere()
  }
  const postId = attachment.post_id
  const accountId = caller.kind === 'owner-session' ? caller.accountId : undefined
  const presented = signature && (await recognizePayment(services, { purpose: 'access', postId }, signature, ip))
  const reading = await mayRead(services, postId, {
    accountId,
    giftToken: query.gift,
    settledAt: settledAtOf(presented),
    claim,
  })
  const wanted = wantedPayment(reading)
  const buyer = { ip, accountId, payeeId: reading?.post.account_id }
  // Without a grant the payment belongs to the post's own address, which takes it.
  const isTakenHere = presented && wanted !== 'purchase'
  const paid = isTakenHere ? await takePayment(services, presented, wanted, buyer) : presented?.known
  if (!reading) return nothingHere()
  const { post, grant } = reading
  if (grant && isThereFor(grant, attachment)) {
    const zip = await zipReply(services, attachment, (await findOperation(db, attachment.operation_id))!)
    const receipt = paid?.kind === 'settled' ? settledResponse(services, paid.payment, accessUrl(origin, postId)) : {}
    return { ...zip, headers: { ...zip.headers, ...receipt } }
  }
  // To strangers a ZIP exists once readers can get it.
  if (attachment.state !== 'ready') return nothingHere()
  return signature
    ? refuse(postPaymentUnsettled)
    : postPaymentRequired(services, post, { origin, asset: filteredAsset(query), readUrl: url })
}

function isThereFor(grant: Grant, { state, retention_reason, removed_at }: AttachmentRow): boolean {
  if (state === 'pending' || state === 'ready') return true
  return retention_reason !== null && keeps(grant, removed_at)
}
