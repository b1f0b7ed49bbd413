import { type listAttachments as declared, partBytes, zipBytes } from '@pennypost/contract/attachments'
import { postNotFound } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { type AttachmentRow, findAttachmentByOperation, listOwnAttachments } from './attachment-store.ts'
import { ownedAttachment } from './attachment-view.ts'
import { attachmentTarget } from './claim-attachment.ts'
import { findByRequestKey, findOperationDetails } from './operation-store.ts'
import { listParts } from './part-store.ts'
import { formatRevision } from './revision.ts'
import type { Handler, UploadServices } from './services.ts'
import { attachmentLimits, attachmentUsage } from './upload-limits.ts'

const limits = {
  ...attachmentLimits,
  attachmentBytes: zipBytes,
  partBytes,
  filenameCharacters: 128,
  descriptionCharacters: 500,
}

export const listAttachments: Handler<typeof declared> = async (services, { caller, params, query }) => {
  const { db, targets, clock } = services
  const { accountId } = caller
  const post = (await targets.findPost(db, accountId, params.postId)) ?? refuse(postNotFound)
  const rows = await find(services, accountId, post.id, query.requestKey)
  const parts = await listParts(
    db,
    rows.map((row) => row.operation_id),
  )
  const attachments = []
  for (const row of rows) {
    const operation = (await findOperationDetails(db, accountId, row.operation_id))!
    const own = parts.filter((part) => part.operation_id === operation.id)
    attachments.push(ownedAttachment(row, operation, own, clock.now()))
  }
  const usage = await attachmentUsage(db, accountId, post.id)
  const remainingPostBytes = Math.max(0, attachmentLimits.postBytes - usage.postBytes)
  return {
    status: 200,
    body: {
      attachments,
      currentRevision: formatRevision(post.updatedUs),
      limits,
      usage: { ...usage, remainingPostBytes },
    },
  }
}

/** With a request key, finds the attachment reserved under it, even if it has been removed since. */
async function find(
  { db }: UploadServices,
  accountId: string,
  postId: string,
  key: string | undefined,
): Promise<AttachmentRow[]> {
  if (key === undefined) return listOwnAttachments(db, accountId, postId)
  const operation = await findByRequestKey(db, attachmentTarget(accountId, postId), key)
  const attachment = operation && (await findAttachmentByOperation(db, operation.id))
  return attachment ? [attachment] : []
}
