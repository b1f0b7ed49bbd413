import type { getAsset as declared } from '@pennypost/contract/access'
import { assetNotFound } from '@pennypost/contract/attachments'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findAttachment } from '../uploads/attachment-store.ts'
import { findOperation } from '../uploads/operation-store.ts'
import { zipReply } from '../uploads/zip-bytes.ts'
import { mayRead } from './may-read.ts'
import { postPaymentRequired } from './x402/payment-required.ts'

/** §4: reader check first, safety check second. */
export const getAsset: Handler<typeof declared> = async (services, { caller, params, query, origin }) => {
  const { db } = services
  const attachment = (await findAttachment(db, params.assetId)) ?? refuse(assetNotFound)
  const accountId = caller.kind === 'owner-session' ? caller.accountId : undefined
  const { post, grant } =
    (await mayRead(services, attachment.post_id, { accountId, giftToken: query.gift })) ?? refuse(assetNotFound)
  if (!grant) {
    // To strangers a ZIP exists once readers can get it.
    return attachment.state === 'ready' ? postPaymentRequired(services, post, origin) : refuse(assetNotFound)
  }
  return zipReply(services, attachment, (await findOperation(db, attachment.operation_id))!)
}
