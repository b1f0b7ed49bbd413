import { createHash } from 'node:crypto'
import { uploadUnconfirmed } from '@pennypost/contract/attachments'
import { checksumMismatch } from '@pennypost/contract/uploads'
import { faultPoint } from '../platform/fault-point.ts'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { scheduleCleanup } from './cancel-operation.ts'
import { cleanUpUpload } from './clean-up-upload.job.ts'
import { receivedKey } from './object-keys.ts'
import { moveOperation, type Operation } from './operation-store.ts'
import { screenUpload } from './screen-upload.job.ts'
import type { UploadServices } from './services.ts'

/**
 * Stores a whole ZIP, compares it with the announced size and checksum, and enqueues its screening. The bytes are stored
 * before they are recorded, so that a crash can never lose bytes recorded as received.
 */
export async function receiveZip(
  { db, files, clock, log }: UploadServices,
  operation: Operation,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const key = receivedKey(operation.id)
  const hash = createHash('sha256')
  let sizeBytes = 0
  const measured = async function* () {
    for await (const chunk of bytes) {
      hash.update(chunk)
      sizeBytes += chunk.byteLength
      yield chunk
      faultPoint('zip-assembling')
    }
  }
  try {
    await files.put(key, measured(), { isNew: true })
  } catch (error) {
    log.error({ operationId: operation.id, cause: (error as Error).message }, 'could not store a ZIP')
    refuse(uploadUnconfirmed, {}, { retryAfterSeconds: 5 })
  }
  faultPoint('zip-assembled')
  const isRight = sizeBytes === Number(operation.size_bytes) && hash.digest('hex') === operation.sha256
  if (!isRight) {
    await files.remove(key)
    await db.transaction().execute(async (tx) => {
      if (await moveOperation(tx, operation.id, 'fail', { last_error: 'checksum-mismatch', reupload_allowed: true }))
        await scheduleCleanup(tx, clock, operation.id)
    })
    refuse(checksumMismatch)
  }
  const now = clock.now()
  const received = await db.transaction().execute(async (tx) => {
    const change = { received_key: key, received_at: now, progress_at: now }
    const moved = await moveOperation(tx, operation.id, 'receive', change)
    if (!moved) return undefined
    await enqueue(tx, clock, screenUpload, { operationId: operation.id }, { key: `screen:${operation.id}` })
    // The parts are no longer needed now that the ZIP is assembled.
    await enqueue(tx, clock, cleanUpUpload, { operationId: operation.id }, { key: `clean-up:${operation.id}` })
    return moved
  })
  faultPoint('zip-received')
  // Another request completed the upload first, or it was cancelled meanwhile.
  if (!received) await files.remove(key)
}
