import { attachmentNotFound, type removeAttachment as declared } from '@pennypost/contract/attachments'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { type AttachmentRow, findOwnAttachment, moveAttachment, wasSold } from './attachment-store.ts'
import { attachmentResult } from './attachment-view.ts'
import { cancelOperation, scheduleCleanup } from './cancel-operation.ts'
import { changeOperation, findOperationDetails } from './operation-store.ts'
import { requireRevision } from './revision.ts'
import { readRevisionHeader } from './revision-header.ts'
import type { Handler, UploadServices } from './services.ts'

export const removeAttachment: Handler<typeof declared> = async (services, { caller, params, headers }) => {
  const { db, targets } = services
  const { accountId } = caller
  const revision = readRevisionHeader(headers)
  const { operation_id: operationId } = await db.transaction().execute(async (tx) => {
    const post = (await targets.lockPost(tx, accountId, params.postId)) ?? refuse(attachmentNotFound)
    const attachment = (await findOwnAttachment(tx, accountId, post.id, params.assetId)) ?? refuse(attachmentNotFound)
    requireRevision(post.updatedUs, revision)
    await detachAttachment(tx, services, attachment)
    return attachment
  })
  return {
    status: 200,
    body: await attachmentResult(services, (await findOperationDetails(db, accountId, operationId))!),
  }
}

/** Removes a pending or ready ZIP from its post. If the post was sold, its buyers can still download the ZIP. */
export async function detachAttachment(
  tx: Tx,
  { clock }: Pick<UploadServices, 'clock'>,
  attachment: AttachmentRow,
): Promise<void> {
  const isSold = attachment.state === 'ready' && (await wasSold(tx, attachment.post_id))
  const moved = await moveAttachment(tx, attachment.id, 'remove', {
    removed_at: clock.now(),
    ...(isSold && { retention_reason: 'financial-history-retained' }),
  })
  if (!moved) return
  if (!isSold) return cancelOperation(tx, clock, attachment.operation_id, 'owner')
  await changeOperation(tx, attachment.operation_id, { desired: false })
  await scheduleCleanup(tx, clock, attachment.operation_id)
}
