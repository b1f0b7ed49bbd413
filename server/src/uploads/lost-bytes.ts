import { sql } from 'kysely'
import { associateWithTarget } from './associate-with-target.ts'
import { findAttachmentByOperation } from './attachment-store.ts'
import { mediaPath } from './image-view.ts'
import { changeOperation, lockOperation, moveOperation, type Operation } from './operation-store.ts'
import type { UploadServices } from './services.ts'
import { lockTarget } from './targets.ts'

const dayMs = 24 * 3_600_000
const mostLooks = 2_000
/**
 * More at once are no accident of single objects: somebody must look at the store before anything is called lost, and
 * say with ACCEPT_LOST_OBJECTS how many there may be.
 */
const mostLosses = 5

const keyOf = ({ media_key, received_key }: Operation): string | null => media_key ?? received_key
const isLost = ({ state, last_error }: Operation): boolean => state === 'failed' && last_error === 'bytes-lost'

/** Every stored upload is looked at once a day, and what was lost every time: its bytes may have been restored. */
export async function checkStoredBytes(services: UploadServices): Promise<void> {
  const { db, files, clock, config } = services
  const now = clock.now()
  const { rows } = await sql<Operation>`
    SELECT * FROM upload_operations WHERE (received_key IS NOT NULL OR media_key IS NOT NULL) AND cleanup_state <> 'queued'
      AND (bytes_seen_at IS NULL OR bytes_seen_at < ${new Date(now.getTime() - dayMs)}
        OR (state = 'failed' AND last_error = 'bytes-lost'))
    ORDER BY bytes_seen_at NULLS FIRST LIMIT ${mostLooks}`.execute(db)
  const missing: Operation[] = []
  for (const operation of rows) {
    const isThere = (await files.sizeOf(keyOf(operation)!)) !== undefined
    if (!isThere && !isLost(operation)) missing.push(operation)
    if (isThere) await changeOperation(db, operation.id, { bytes_seen_at: now })
    if (isThere && isLost(operation)) await restore(services, operation)
  }
  if (missing.length > (config.acceptedLosses ?? mostLosses))
    throw new Error(
      `${missing.length} stored objects are missing at once, among them ${keyOf(missing[0]!)}. ` +
        'If they are gone for good, start with ACCEPT_LOST_OBJECTS and at least that number.',
    )
  for (const operation of missing) await recordLoss(services, operation)
}

/** The key stays: should the bytes come back, so does the upload. */
export async function recordLoss(services: UploadServices, seen: Operation): Promise<void> {
  const { db, clock, files, targets, log } = services
  const key = keyOf(seen)!
  await db.transaction().execute(async (tx) => {
    await lockTarget(tx, targets, seen)
    const operation = await lockOperation(tx, seen.id)
    // Whoever was here since we looked knows better: it was finished, or is being cleaned up.
    if (!operation || keyOf(operation) !== key || operation.cleanup_state === 'queued') return
    if ((await files.sizeOf(key)) !== undefined) return
    const { id, account_id: accountId, target_kind: kind, media_extension: extension } = operation
    log.error({ operationId: id, key }, 'stored bytes are missing')
    await changeOperation(tx, id, { bytes_seen_at: clock.now() })
    const wasShown = operation.state === 'cleared' && operation.desired && operation.associated_at !== null
    if (!(await moveOperation(tx, id, 'lose', { last_error: 'bytes-lost', reupload_allowed: true }))) return
    if ((kind === 'avatar' || kind === 'header') && wasShown)
      await targets.hideProfileImage(tx, accountId, kind, mediaPath(id, extension!))
  })
}

/** Its bytes are back. What was cleared is cleared again, and what it was part of shows it, unless it has a newer one. */
async function restore(services: UploadServices, seen: Operation): Promise<void> {
  const { db, targets, log } = services
  await db.transaction().execute(async (tx) => {
    const post = await lockTarget(tx, targets, seen)
    const operation = await lockOperation(tx, seen.id)
    if (!operation || !isLost(operation) || !operation.desired) return
    // What was lost before its check ended stays so: its owner may send it again.
    const isOfZip = operation.target_kind === 'attachment'
    const wasCleared = isOfZip
      ? (await findAttachmentByOperation(tx, operation.id))?.contents != null
      : operation.media_extension !== null
    if (!wasCleared) return
    const isOfProfile = operation.target_kind === 'avatar' || operation.target_kind === 'header'
    const restored = await moveOperation(tx, operation.id, 'restore', {
      last_error: null,
      reupload_allowed: false,
      ...(isOfProfile && { associated_at: null }),
    })
    if (!restored) return
    log.info({ operationId: operation.id }, 'stored bytes are back')
    await associateWithTarget(tx, services, restored, post)
  })
}
