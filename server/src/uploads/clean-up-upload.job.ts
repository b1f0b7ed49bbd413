import { z } from 'zod'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import { faultPoint } from '../platform/fault-point.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { type AttachmentRow, findAttachmentByOperation, moveAttachment } from './attachment-store.ts'
import { thumbnailKey } from './object-keys.ts'
import { changeOperation, isHeld, lockOperation, type Operation } from './operation-store.ts'
import { deletePartObjects, listParts } from './part-store.ts'
import { isInProgress } from './safety.ts'
import type { Job } from './services.ts'

const payload = z.object({ operationId: z.uuid() })
const maxWaitMs = 3_600_000

/** Removes the bytes that an operation no longer needs. Until then they count against the owner's quota. */
export const cleanUpUpload: Job<typeof payload> = {
  name: 'clean-up-upload',
  payload,
  queue: ({ operationId }) => `clean-up:${operationId}`,
  attempts: 10,
  share: 'uploads',
  async run({ db, files, clock, log }, { operationId }) {
    // Keeps the operation locked throughout: a hold placed meanwhile either comes first and keeps the bytes, or waits.
    await db.transaction().execute(async (tx) => {
      const operation = await lockOperation(tx, operationId)
      if (!operation) return
      const keys = await listUnneededKeys(tx, operation)
      faultPoint('cleanup-begun')
      try {
        for (const key of keys) await files.remove(key)
        if (operation.target_kind === 'og' && operation.media_key !== null && keys.includes(operation.media_key))
          await files.remove(thumbnailKey(operationId))
      } catch (error) {
        log.warn({ operationId, cause: (error as Error).message }, 'could not remove stored bytes, will retry')
        return retryLater(tx, clock, operation)
      }
      faultPoint('bytes-removed')
      await recordCleanup(tx, operation, keys)
    })
  },
}

async function listUnneededKeys(tx: Tx, operation: Operation): Promise<string[]> {
  const { id } = operation
  // A hold keeps everything, parts included: it is evidence.
  if ((operation.state === 'receiving' && operation.desired) || (await isHeld(tx, id))) return []
  const needed = neededKeys(operation, await findAttachmentByOperation(tx, id))
  const parts = await listParts(tx, [id])
  const stored = [operation.received_key, operation.media_key, ...parts.map((part) => part.object_key)]
  return stored.filter((key): key is string => key !== null && !needed.has(key))
}

/** The keys that must stay: bytes being checked, public bytes, and ZIPs that buyers may download. */
function neededKeys(operation: Operation, attachment: AttachmentRow | undefined): Set<string | null> {
  const { received_key, media_key } = operation
  if (attachment?.retention_reason && operation.received_at !== null) return new Set([received_key])
  if (operation.state === 'queued' || operation.state === 'checking') return new Set([received_key])
  if (operation.state !== 'cleared' || !operation.desired) return new Set()
  return attachment ? new Set([received_key]) : new Set([media_key])
}

async function recordCleanup(tx: Tx, operation: Operation, removed: readonly string[]): Promise<void> {
  const { id: operationId } = operation
  await deletePartObjects(tx, operationId, removed)
  const unlessRemoved = (key: string | null) => (key !== null && removed.includes(key) ? null : key)
  const received_key = unlessRemoved(operation.received_key)
  const media_key = unlessRemoved(operation.media_key)
  const isShown = operation.state === 'cleared' && operation.desired
  const isKept = !isInProgress(operation) && !isShown && (received_key !== null || media_key !== null)
  const wasQueued = operation.cleanup_state !== 'none'
  await changeOperation(tx, operationId, {
    received_key,
    media_key,
    ...(wasQueued && {
      cleanup_state: isKept ? 'retained' : 'done',
      cleanup_next_at: null,
      cleanup_error: null,
      cleanup_attempts: operation.cleanup_attempts + 1,
    }),
  })
  const attachment = await findAttachmentByOperation(tx, operationId)
  if (attachment?.state === 'cleanup_queued' && received_key === null) await moveAttachment(tx, attachment.id, 'forget')
}

async function retryLater(tx: Tx, clock: Clock, { id, cleanup_attempts }: Operation): Promise<void> {
  const attempts = cleanup_attempts + 1
  const runAt = new Date(clock.now().getTime() + Math.min(1000 * 2 ** attempts, maxWaitMs))
  await changeOperation(tx, id, {
    cleanup_state: 'queued',
    cleanup_attempts: attempts,
    cleanup_next_at: runAt,
    cleanup_error: 'storage-unavailable',
  })
  await enqueue(tx, clock, cleanUpUpload, { operationId: id }, { runAt, key: `clean-up:${id}` })
}
