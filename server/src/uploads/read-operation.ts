import { uploadNotFound } from '@pennypost/contract/uploads'
import { refuse } from '../platform/http/refuse.ts'
import { associateWithTarget } from './associate-with-target.ts'
import { attachmentResult } from './attachment-view.ts'
import { imageReply } from './image-view.ts'
import { findOperationDetails, findOwnOperation } from './operation-store.ts'
import type { UploadServices } from './services.ts'
import { lockTarget } from './targets.ts'

/** How far an upload is, image or ZIP, after whatever can be reconciled was. */
export async function readOperation(services: UploadServices, accountId: string, operationId: string, origin: string) {
  const { db, clock } = services
  await reconcile(services, accountId, operationId)
  const operation = (await findOperationDetails(db, accountId, operationId)) ?? refuse(uploadNotFound)
  if (operation.target_kind !== 'attachment') return imageReply(operation, origin, clock.now())
  return { status: 200 as const, body: await attachmentResult(services, operation) }
}

/** §4, status and associate: what was cleared before its target could have it becomes part of it now. */
async function reconcile(services: UploadServices, accountId: string, operationId: string): Promise<void> {
  const { db, targets } = services
  const found = (await findOwnOperation(db, accountId, operationId)) ?? refuse(uploadNotFound)
  if (found.state !== 'cleared' || found.associated_at !== null || !found.desired) return
  await db.transaction().execute(async (tx) => {
    const post = await lockTarget(tx, targets, found)
    // The save that brought an image's key moved the revision already; a ZIP that is attached now moves it here.
    await associateWithTarget(tx, services, found, found.target_kind === 'inline' ? undefined : post)
  })
}
