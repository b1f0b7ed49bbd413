import { attachmentNotFound, type downloadAttachment as declared } from '@pennypost/contract/attachments'
import { refuse } from '../platform/http/refuse.ts'
import { findOwnAttachment } from './attachment-store.ts'
import { findOperation } from './operation-store.ts'
import type { Handler } from './services.ts'
import { zipReply } from './zip-reply.ts'

export const downloadAttachment: Handler<typeof declared> = async (services, { caller, params }) => {
  const { db } = services
  const attachment =
    (await findOwnAttachment(db, caller.accountId, params.postId, params.assetId)) ?? refuse(attachmentNotFound)
  return zipReply(services, attachment, (await findOperation(db, attachment.operation_id))!)
}
