import type { cancelUpload as declared } from '@pennypost/contract/images'
import { uploadNotFound } from '@pennypost/contract/uploads'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findAttachmentOf } from './attachment-store.ts'
import { cancelOperation } from './cancel-operation.ts'
import { findOwnOperation } from './operation-store.ts'
import { readOperation } from './read-operation.ts'
import { detach } from './remove-attachment.ts'

export const cancelUpload: Handler<typeof declared> = async (services, { caller, params, origin }) => {
  const { db, clock, targets } = services
  const { accountId } = caller
  const found = (await findOwnOperation(db, accountId, params.operationId)) ?? refuse(uploadNotFound)
  const { id, target_kind: kind, target_id: targetId } = found
  await db.transaction().execute(async (tx) => {
    if (kind === 'attachment') {
      await targets.lockPost(tx, accountId, targetId)
      return detach(tx, services, (await findAttachmentOf(tx, id))!)
    }
    if (kind === 'inline' || kind === 'og') await targets.lockPost(tx, accountId, targetId)
    await cancelOperation(tx, clock, id, 'owner')
    // What it showed goes with it; what another one shows stays.
    if ((kind === 'avatar' || kind === 'header') && found.associated_at !== null && found.desired)
      await targets.showProfileImage(tx, accountId, kind, null)
  })
  return readOperation(services, accountId, id, origin)
}
