import { sql } from 'kysely'
import { associateWithTarget } from './associate-with-target.ts'
import { findAttachmentByOperation } from './attachment-store.ts'
import { changeOperation, isProfileImage, lockOperation, moveOperation, type Operation } from './operation-store.ts'
import { hideFromProfile } from './profile-image.ts'
import type { UploadServices } from './services.ts'
import { lockTarget } from './targets.ts'

const dayMs = 24 * 3_600_000
const maxLooks = 2_000
/**
 * If more objects than this are missing in one run, something is wrong with the store itself. An operator has to look
 * at it before anything is recorded as lost, and can allow a larger number with ACCEPT_LOST_OBJECTS.
 */
const maxLosses = 5

const keyOf = ({ media_key, received_key }: Operation): string | null => media_key ?? received_key
const isLost = ({ state, last_error }: Operation): boolean => state === 'failed' && last_error === 'bytes-lost'

/**
 * Checks once a day that each upload's bytes are still stored. Lost uploads are checked every time: they may be back.
 */
export async function checkStoredBytes(services: UploadServices): Promise<void> {
  const { db, files, clock, config } = services
  const now = clock.now()
  const { rows } = await sql<Operation>`
    SELECT * FROM upload_operations WHERE (received_key IS NOT NULL OR media_key IS NOT NULL) AND cleanup_state <> 'queued'
      AND (bytes_seen_at IS NULL OR bytes_seen_at < ${new Date(now.getTime() - dayMs)}
        OR (state = 'failed' AND last_error = 'bytes-lost'))
    ORDER BY bytes_seen_at NULLS FIRST LIMIT ${maxLooks}`.execute(db)
  const missing: Operation[] = []
  for (const operation of rows) {
    const isThere = (await files.sizeOf(keyOf(operation)!)) !== undefined
    if (!isThere && !isLost(operation)) missing.push(operation)
    if (isThere) await changeOperation(db, operation.id, { bytes_seen_at: now })
    if (isThere && isLost(operation)) await restore(services, operation)
  }
  if (missing.length > (config.acceptedLosses ?? maxLosses))
    throw new Error(
      `${missing.length} stored objects are missing, for example ${keyOf(missing[0]!)}. Check the object store. ` +
        'If they are gone for good, start the service with ACCEPT_LOST_OBJECTS set to at least that number.',
    )
  for (const operation of missing) await recordLoss(services, operation)
}

/** Records that an upload's bytes are lost. Keeps the object key, so that the upload comes back if its bytes do. */
export async function recordLoss(services: UploadServices, seen: Operation): Promise<void> {
  const { db, clock, files, targets, log } = services
  const key = keyOf(seen)!
  await db.transaction().execute(async (tx) => {
    await lockTarget(tx, targets, seen)
    const operation = await lockOperation(tx, seen.id)
    // The operation may have changed since we looked: it was finished, or is being cleaned up.
    if (!operation || keyOf(operation) !== key || operation.cleanup_state === 'queued') return
    if ((await files.sizeOf(key)) !== undefined) return
    const { id } = operation
    log.error({ operationId: id, key }, 'stored bytes are missing')
    await changeOperation(tx, id, { bytes_seen_at: clock.now() })
    if (!(await moveOperation(tx, id, 'lose', { last_error: 'bytes-lost', reupload_allowed: true }))) return
    await hideFromProfile(tx, targets, operation)
  })
}

/** Clears a lost upload again after its bytes are back. Its target shows it again, unless a newer one replaced it. */
async function restore(services: UploadServices, seen: Operation): Promise<void> {
  const { db, targets, log } = services
  await db.transaction().execute(async (tx) => {
    const post = await lockTarget(tx, targets, seen)
    const operation = await lockOperation(tx, seen.id)
    if (!operation || !isLost(operation) || !operation.desired) return
    // An upload that was lost before its check finished stays failed: its owner can send it again.
    const wasCleared =
      operation.target_kind === 'attachment'
        ? (await findAttachmentByOperation(tx, operation.id))?.contents != null
        : operation.media_extension !== null
    if (!wasCleared) return
    const restored = await moveOperation(tx, operation.id, 'restore', {
      last_error: null,
      reupload_allowed: false,
      ...(isProfileImage(operation.target_kind) && { associated_at: null }),
    })
    if (!restored) return
    log.info({ operationId: operation.id }, 'stored bytes are back')
    await associateWithTarget(tx, services, restored, post)
  })
}
