import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { changeAttachment, findAttachmentByOperation, moveAttachment } from './attachment-store.ts'
import { cleanUpUpload } from './clean-up-upload.job.ts'
import { mediaPath } from './image-view.ts'
import {
  changeOperation,
  findOperationDetails,
  isProfileImage,
  listEarlier,
  type Operation,
} from './operation-store.ts'
import { isEligible } from './safety.ts'
import type { UploadServices } from './services.ts'
import type { TargetPost } from './targets.ts'

type Parts = Pick<UploadServices, 'clock' | 'targets'>

/**
 * Makes a cleared upload part of its target. Does nothing if it already is. If the target is a post, the caller has
 * locked it and passes it as `post`.
 */
export async function associateWithTarget(
  tx: Tx,
  parts: Parts,
  { id, account_id }: Operation,
  post?: TargetPost,
): Promise<void> {
  const operation = await findOperationDetails(tx, account_id, id)
  if (!operation || !isEligible(operation) || operation.associated_at !== null) return
  if (operation.target_kind === 'attachment') return post && attach(tx, parts, operation, post)
  if (operation.target_kind === 'inline') await retireEarlier(tx, parts, operation)
  // An inline image is associated once the saved text refers to it.
  if (operation.target_kind === 'inline' && !operation.post_has_key) return
  const now = parts.clock.now()
  await changeOperation(tx, id, { associated_at: now })
  if (isProfileImage(operation.target_kind)) {
    const path = mediaPath(id, operation.media_extension!)
    await parts.targets.showProfileImage(tx, account_id, operation.target_kind, path)
  } else if (post) {
    await parts.targets.advanceRevision(tx, post, revisedAt(operation, now))
  }
  if (operation.target_kind !== 'inline') await retireEarlier(tx, parts, operation)
}

async function attach(tx: Tx, { clock, targets }: Parts, operation: Operation, post: TargetPost): Promise<void> {
  const attachment = await findAttachmentByOperation(tx, operation.id)
  if (attachment?.state !== 'pending') return
  if (!post.hasPaywall) return changeAttachment(tx, attachment.id, { association_conflict: 'paid-post-required' })
  const now = clock.now()
  await moveAttachment(tx, attachment.id, 'attach', { association_conflict: null })
  await changeOperation(tx, operation.id, { associated_at: now, progress_at: now })
  await targets.advanceRevision(tx, post, revisedAt(operation, now))
}

/** The files of an imported post do not make it look edited today: its revision grows by a microsecond. */
const revisedAt = ({ import_id }: Operation, now: Date): Date => (import_id === null ? now : new Date(0))

/** Marks earlier images for the same target as no longer wanted and schedules the removal of their bytes. */
async function retireEarlier(tx: Tx, { clock }: Parts, operation: Operation): Promise<void> {
  for (const earlier of await listEarlier(tx, operation)) {
    if (!earlier.desired && earlier.media_key === null && earlier.received_key === null) continue
    await changeOperation(tx, earlier.id, { desired: false, cleanup_state: 'queued', cleanup_next_at: clock.now() })
    await enqueue(tx, clock, cleanUpUpload, { operationId: earlier.id }, { key: `clean-up:${earlier.id}` })
  }
}
