import { type getAsset as declared, postPaymentUnsettled } from '@pennypost/contract/access'
import { assetNotFound } from '@pennypost/contract/attachments'
import { refuse } from '../platform/http/refuse.ts'
import { accessUrl } from '../posts/post-view.ts'
import { type AttachmentRow, findAttachment } from '../uploads/attachment-store.ts'
import { assetPath } from '../uploads/attachment-view.ts'
import { findOperation } from '../uploads/operation-store.ts'
import { zipReply } from '../uploads/zip-reply.ts'
import { type Grant, keeps, mayReadSigned } from './may-read.ts'
import type { Handler } from './services.ts'
import { readingWallet } from './siwx/read-proof.ts'
import { declineLate, offeredFor, payThoughGranted, recall } from './x402/pay.ts'
import { postPaymentRequired } from './x402/payment-required.ts'
import { settledResponse } from './x402/payment-response.ts'
import { readPaymentSignature } from './x402/payment-signature.ts'

/** §4: reader check first, safety check second. A ZIP is bought with its Post: no payment is asked for here. */
export const getAsset: Handler<typeof declared> = async (services, { caller, params, query, headers, origin, ip }) => {
  const { db } = services
  const presented = readPaymentSignature(headers['payment-signature'])
  const attachment = (await findAttachment(db, params.assetId)) ?? refuse(assetNotFound)
  const postId = attachment.post_id
  const accountId = caller.kind === 'owner-session' ? caller.accountId : undefined
  const offered = presented && offeredFor(services, { purpose: 'access', postId }, presented)
  const known = offered && (await recall(services, offered))
  const settledAt = known?.kind === 'settled' ? known.payment.settled_at! : undefined
  const url = origin + assetPath(attachment.id)
  const reading = await mayReadSigned(services, postId, { accountId, giftToken: query.gift, settledAt }, () =>
    readingWallet(services, headers['sign-in-with-x'], url, ip),
  )
  if (!reading) {
    if (offered && !known) await declineLate(services, offered, ip)
    return refuse(assetNotFound)
  }
  const { post, grant } = reading
  const buyer = { accountId, payeeId: post.account_id, ip }
  const paid = known ?? (grant && offered && (await payThoughGranted(services, offered, grant, buyer)))
  if (grant && isThereFor(grant, attachment)) {
    const zip = await zipReply(services, attachment, (await findOperation(db, attachment.operation_id))!)
    const receipt = paid?.kind === 'settled' ? settledResponse(services, paid.payment, accessUrl(origin, postId)) : {}
    return { ...zip, headers: { ...zip.headers, ...receipt } }
  }
  // To strangers a ZIP exists once readers can get it.
  if (attachment.state !== 'ready') refuse(assetNotFound)
  return presented ? refuse(postPaymentUnsettled) : postPaymentRequired(services, post, origin, undefined, url)
}

function isThereFor(grant: Grant, { state, retention_reason, removed_at }: AttachmentRow): boolean {
  if (state === 'pending' || state === 'ready') return true
  return retention_reason !== null && keeps(grant, removed_at)
}
