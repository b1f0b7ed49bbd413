import type { Tx } from '../platform/database/database.ts'
import { mediaPath } from './image-view.ts'
import { isProfileImage, type Operation } from './operation-store.ts'
import type { UploadTargets } from './targets.ts'

/** Removes an image from its profile, if the profile shows it. Database triggers do the same for images in posts. */
export async function hideFromProfile(tx: Tx, targets: UploadTargets, operation: Operation): Promise<void> {
  const { account_id: accountId, target_kind: kind, media_extension: extension } = operation
  if (isProfileImage(kind) && extension !== null)
    await targets.hideProfileImage(tx, accountId, kind, mediaPath(operation.id, extension))
}

/** Shows an image on its profile again after a hold was cleared, unless it was removed or replaced meanwhile. */
export async function showOnProfileAgain(tx: Tx, targets: UploadTargets, operation: Operation): Promise<void> {
  const { account_id: accountId, target_kind: kind, media_extension: extension } = operation
  const wasShown = operation.state === 'cleared' && operation.desired && operation.associated_at !== null
  if (isProfileImage(kind) && wasShown)
    await targets.showProfileImage(tx, accountId, kind, mediaPath(operation.id, extension!))
}
