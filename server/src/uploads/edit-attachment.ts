import { attachmentNotFound, attachmentState, type editAttachment as declared } from '@pennypost/contract/attachments'
import { refuse } from '../platform/http/refuse.ts'
import { changeAttachment, findOwnAttachment } from './attachment-store.ts'
import { attachmentResult } from './attachment-view.ts'
import { findOperationDetails } from './operation-store.ts'
import { requireRevision } from './revision.ts'
import { readRevisionHeader } from './revision-header.ts'
import type { Handler } from './services.ts'

export const editAttachment: Handler<typeof declared> = async (services, { caller, params, headers, body }) => {
  const { db, targets } = services
  const { accountId } = caller
  const revision = readRevisionHeader(headers)
  const { operation_id: operationId } = await db.transaction().execute(async (tx) => {
    const post = (await targets.lockPost(tx, accountId, params.postId)) ?? refuse(attachmentNotFound)
    const attachment = (await findOwnAttachment(tx, accountId, post.id, params.assetId)) ?? refuse(attachmentNotFound)
    requireRevision(post.updatedUs, revision)
    if (attachment.state !== 'pending' && attachment.state !== 'ready') refuse(attachmentState)
    const { filename, description } = body
    await changeAttachment(tx, attachment.id, {
      ...(filename !== undefined && { filename }),
      ...(description !== undefined && { description }),
    })
    return attachment
  })
  return {
    status: 200,
    body: await attachmentResult(services, (await findOperationDetails(db, accountId, operationId))!),
  }
}
