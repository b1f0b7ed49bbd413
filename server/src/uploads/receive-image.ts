import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { ReceivedFile } from '@pennypost/contract/body'
import { payloadTooLarge, temporarilyUnavailable } from '@pennypost/contract/errors'
import { uploadIdempotency } from '@pennypost/contract/idempotency'
import { imageUploadsByAddress } from '@pennypost/contract/images'
import { postNotFound } from '@pennypost/contract/posts'
import { resourceGone } from '@pennypost/contract/uploads'
import { lockAccount } from '../accounts/account-store.ts'
import type { Tx } from '../platform/database/database.ts'
import { faultPoint } from '../platform/fault-point.ts'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { enforceLimitOfIp } from '../platform/limits/enforce-limit.ts'
import { supersedeOperation } from './cancel-operation.ts'
import { imageReply } from './image-view.ts'
import { receivedKey } from './object-keys.ts'
import {
  addOperation,
  findByRequestKey,
  findOperation,
  findOperationDetails,
  listEarlier,
  moveOperation,
  nextGeneration,
  type Operation,
  type Target,
} from './operation-store.ts'
import { withRecovery } from './recovery.ts'
import { requireRevision } from './revision.ts'
import { isExpired, isInProgress } from './safety.ts'
import { screenUpload } from './screen-upload.job.ts'
import { policyVersion } from './screening/screening.ts'
import type { UploadServices } from './services.ts'
import { requireStagingQuota, requireUploadRate } from './upload-limits.ts'

export interface ImageUpload {
  readonly target: Target
  readonly requestKey: string
  readonly file: ReceivedFile
  readonly maxBytes: number
  /** Of the Post, as the client saw it; not asked for where the target is a Profile. */
  readonly revision?: string | undefined
  readonly ip: string
  readonly origin: string
}

/** Receives an image for a target: once for a key, however often it is sent. */
export async function receiveImage(services: UploadServices, upload: ImageUpload) {
  const { db, clock } = services
  const { target, requestKey, file } = upload
  if (file.sizeBytes > upload.maxBytes) refuse(payloadTooLarge)
  return withRecovery(db, target, requestKey, async () => {
    const known = await findByRequestKey(db, target, requestKey)
    const { operation, isNew } = known
      ? { operation: known, isNew: false }
      : await db.transaction().execute((tx) => claim(tx, services, upload))
    if (!isNew) requireSame(operation, upload, clock.now())
    faultPoint('image-claimed')
    // A claim whose bytes never arrived is kept with the bytes that are here now: they are the same.
    if (operation.state === 'receiving') await receiveBytes(services, operation, file)
    const received = (await findOperationDetails(db, target.accountId, operation.id))!
    return imageReply(received, upload.origin, clock.now(), !isNew)
  })
}

const fingerprintOf = ({ sha256, contentType }: ReceivedFile): Buffer =>
  createHash('sha256').update(`${sha256} ${contentType}`).digest()

function requireSame(operation: Operation, { file }: ImageUpload, now: Date): void {
  if (!operation.fingerprint.equals(fingerprintOf(file))) refuse(uploadIdempotency.conflict)
  if (operation.state === 'cancelled' || isExpired(operation, now)) refuse(resourceGone)
}

/** Under the account's lock, so that one request of many with this key makes the operation, and quotas are exact. */
async function claim(
  tx: Tx,
  services: UploadServices,
  upload: ImageUpload,
): Promise<{ operation: Operation; isNew: boolean }> {
  const { clock, targets } = services
  const { target, requestKey, file } = upload
  const now = clock.now()
  await lockAccount(tx, target.accountId)
  const known = await findByRequestKey(tx, target, requestKey)
  if (known) return { operation: known, isNew: false }
  if (target.kind === 'inline' || target.kind === 'og') {
    const post = (await targets.lockPost(tx, target.accountId, target.id)) ?? refuse(postNotFound)
    requireRevision(post.updatedUs, upload.revision)
  }
  await requireStagingQuota(tx, target.accountId, file.sizeBytes)
  await requireUploadRate(tx, target.accountId, file.sizeBytes, now)
  await enforceLimitOfIp(services, imageUploadsByAddress, upload.ip)
  const operation = await addOperation(tx, {
    id: randomUUID(),
    account_id: target.accountId,
    target_kind: target.kind,
    target_id: target.id,
    target_key: target.key,
    request_key: requestKey,
    fingerprint: fingerprintOf(file),
    generation: await nextGeneration(tx, target),
    size_bytes: file.sizeBytes,
    sha256: file.sha256,
    content_type: file.contentType,
    policy_version: policyVersion,
    created_at: now,
    progress_at: now,
  })
  // What is shown stays until this one is cleared; what was still on its way has become pointless.
  for (const earlier of await listEarlier(tx, operation))
    if (isInProgress(earlier)) await supersedeOperation(tx, clock, earlier.id)
  return { operation, isNew: true }
}

/** Durable first, recorded second: `received` is never said of bytes that a crash could take back. */
async function receiveBytes(
  { db, files, clock, log }: UploadServices,
  operation: Operation,
  file: ReceivedFile,
): Promise<void> {
  const key = receivedKey(operation.id)
  try {
    await files.put(key, createReadStream(file.path), { isNew: true })
  } catch (error) {
    log.error({ operationId: operation.id, cause: (error as Error).message }, 'received bytes could not be stored')
    refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 5 })
  }
  faultPoint('image-stored')
  const now = clock.now()
  const received = await db.transaction().execute(async (tx) => {
    const change = { received_key: key, received_at: now, progress_at: now }
    const moved = await moveOperation(tx, operation.id, 'receive', change)
    if (moved) await enqueue(tx, clock, screenUpload, { operationId: operation.id }, { key: `screen:${operation.id}` })
    return moved
  })
  faultPoint('image-received')
  // Another request with the same bytes was first, or it was cancelled meanwhile: these are nobody's.
  if (!received) await files.remove(key)
  if (!received && (await findOperation(db, operation.id))?.ended_by === 'owner') refuse(resourceGone)
}
