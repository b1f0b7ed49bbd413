import { uploadNotFound } from '@pennypost/contract/uploads'
import { refuse } from '../platform/http/refuse.ts'
import { associateWithTarget } from './associate-with-target.ts'
import { attachmentResult } from './attachment-view.ts'
import { imageReply } from './image-view.ts'
import { findOperationDetails, findOwnOperation } from './operation-store.ts'
import type { UploadServices } from './services.ts'
import { lockTarget } from './targets.ts'

/** Returns the progress of an image or ZIP upload, after associating it with its target if that is possible now. */
export async function readOperation(services: UploadServices, accountId: string, operationId: string, origin: string) {
  const { db, clock } = services
  await reconcile(services, accountId, operationId)
  const operation = (await findOperationDetails(db, accountId, operationId)) ?? refuse(uploadNotFound)
  if (operation.target_kind !== 'attachment') return imageReply(operation, origin, clock.now())
  return { status: 200 as const, body: await attachmentResult(services, operation) }
}

/** Associates an upload that was cleared before its target was ready for it. */
async function reconcile(services: UploadServices, accountId: string, operationId: string): Promise<void> {
  const { db, targets } = services
  const found = (await findOwnOperation(db, accountId, operationId)) ?? refuse(uploadNotFound)
  if (found.state !== 'cleared' || found.associated_at !== null || !found.desired) return
  await db.transaction().execute(async (tx) => {
    const post = await lockTarget(tx, targets, found)
    // Saving the text with an image's key already advanced the revision. Attaching a ZIP advances it here.
    await associateWithTarget(tx, services, found, found.target_kind === 'inline' ? undefined : post)
  })
}
