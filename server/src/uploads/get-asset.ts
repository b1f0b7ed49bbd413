import { assetForbidden, assetNotFound, type getAsset as declared } from '@pennypost/contract/attachments'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findAttachment } from './attachment-store.ts'
import { mayRead } from './may-read.ts'
import { findOperation } from './operation-store.ts'
import { zipReply } from './zip-bytes.ts'

/** §4: reader check first, safety check second. */
export const getAsset: Handler<typeof declared> = async (services, { caller, params, query }) => {
  const { db } = services
  const attachment = (await findAttachment(db, params.assetId)) ?? refuse(assetNotFound)
  const answer = await mayRead(db, attachment.post_id, { caller, giftToken: query.gift })
  if (answer === 'hidden') refuse(assetNotFound)
  // To strangers a ZIP exists once readers can get it.
  if (answer === 'no') refuse(attachment.state === 'ready' ? assetForbidden : assetNotFound)
  return zipReply(services, attachment, (await findOperation(db, attachment.operation_id))!)
}
