import type { cancelUpload as declared } from '@pennypost/contract/images'
import { uploadNotFound } from '@pennypost/contract/uploads'
import { refuse } from '../platform/http/refuse.ts'
import { findAttachmentByOperation } from './attachment-store.ts'
import { cancelOperation } from './cancel-operation.ts'
import { findOwnOperation, lockOperation } from './operation-store.ts'
import { hideFromProfile } from './profile-image.ts'
import { readOperation } from './read-operation.ts'
import { detachAttachment } from './remove-attachment.ts'
import type { Handler } from './services.ts'
import { lockTarget } from './targets.ts'

export const cancelUpload: Handler<typeof declared> = async (services, { caller, params, origin }) => {
  const { db, clock, targets } = services
  const { accountId } = caller
  const found = (await findOwnOperation(db, accountId, params.operationId)) ?? refuse(uploadNotFound)
  const { id, target_kind: kind, target_id: targetId } = found
  await db.transaction().execute(async (tx) => {
    if (kind === 'attachment') {
      await targets.lockPost(tx, accountId, targetId)
      return detachAttachment(tx, services, (await findAttachmentByOperation(tx, id))!)
    }
    await lockTarget(tx, targets, found)
    const operation = (await lockOperation(tx, id))!
    await cancelOperation(tx, clock, id, 'owner')
    // Removes this image from the profile. If the profile shows another one, that one stays.
    await hideFromProfile(tx, targets, operation)
  })
  return readOperation(services, accountId, id, origin)
}
