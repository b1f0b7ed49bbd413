import type { Tx } from '../platform/database/database.ts'
import { mediaPath } from './image-view.ts'
import type { Operation } from './operation-store.ts'
import type { UploadTargets } from './targets.ts'

/** Takes an image off its Profile, if that is what it shows. What Posts show the database itself keeps right. */
export async function hideFromProfile(tx: Tx, targets: UploadTargets, operation: Operation): Promise<void> {
  const { account_id: accountId, target_kind: kind, media_extension: extension } = operation
  if ((kind === 'avatar' || kind === 'header') && extension !== null)
    await targets.hideProfileImage(tx, accountId, kind, mediaPath(operation.id, extension))
}

/** The hold is over. What was removed or replaced meanwhile is not wanted any more, and stays away. */
export async function showOnProfileAgain(tx: Tx, targets: UploadTargets, operation: Operation): Promise<void> {
  const { account_id: accountId, target_kind: kind, media_extension: extension } = operation
  const wasShown = operation.state === 'cleared' && operation.desired && operation.associated_at !== null
  if ((kind === 'avatar' || kind === 'header') && wasShown)
    await targets.showProfileImage(tx, accountId, kind, mediaPath(operation.id, extension!))
}
