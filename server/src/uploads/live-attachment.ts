import { attachmentNotFound } from '@pennypost/contract/attachments'
import { resourceGone } from '@pennypost/contract/uploads'
import { refuse } from '../platform/http/refuse.ts'
import { type AttachmentRow, findAttachmentByOperation } from './attachment-store.ts'
import { findOperationDetails, type OperationDetails } from './operation-store.ts'
import { recoveryOf } from './recovery.ts'
import { isExpired } from './safety.ts'
import type { UploadServices } from './services.ts'

export interface LiveAttachment {
  readonly operation: OperationDetails
  readonly attachment: AttachmentRow
}

/** Finds a ZIP of this account and post by its operation. Refuses one that was cancelled or removed, or has expired. */
export async function requireLiveAttachment(
  { db, clock }: UploadServices,
  accountId: string,
  params: { readonly postId: string; readonly operationId: string },
): Promise<LiveAttachment> {
  const operation = await findOperationDetails(db, accountId, params.operationId)
  const attachment = operation && (await findAttachmentByOperation(db, operation.id))
  if (!attachment || attachment.post_id !== params.postId) return refuse(attachmentNotFound)
  const isRemoved = attachment.state === 'cleanup_queued' || attachment.state === 'removed'
  if (operation.state === 'cancelled' || isRemoved || isExpired(operation, clock.now())) {
    const target = { accountId, kind: 'attachment', id: params.postId, key: '' } as const
    const recovery = recoveryOf(target, operation.request_key, { isLegacy: attachment.is_legacy })
    refuse(resourceGone, { recovery: { ...recovery, operationId: operation.id } })
  }
  return { operation, attachment }
}
