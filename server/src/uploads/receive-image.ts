import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { ReceivedFile } from '@pennypost/contract/body'
import { payloadTooLarge, temporarilyUnavailable } from '@pennypost/contract/errors'
import { uploadIdempotency } from '@pennypost/contract/idempotency'
import { imageUploadsByAddress } from '@pennypost/contract/images'
import { postNotFound } from '@pennypost/contract/posts'
import { resourceGone } from '@pennypost/contract/uploads'
import { lockOwnAccount } from '../accounts/account-store.ts'
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
import { type Admission, requireStagingQuota, requireUploadRate } from './upload-limits.ts'

export interface ImageUpload {
  readonly target: Target
  readonly requestKey: string
  readonly file: ReceivedFile
  readonly maxBytes: number
  /** The post's revision as the client last saw it. Not used for profile images. */
  readonly revision?: string | undefined
  /** For an import, instead of the revision and the usual limits. */
  readonly admission?: Admission
  readonly ip: string
  readonly origin: string
}

/** Receives an image for a target. The same request key always leads to the same operation. */
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
    // If an earlier request made the claim but its bytes were never stored, these bytes complete it: they are the same.
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

/** Creates the operation under the account's lock, so that only one of several requests does, and quotas are exact. */
async function claim(
  tx: Tx,
  services: UploadServices,
  upload: ImageUpload,
): Promise<{ operation: Operation; isNew: boolean }> {
  const { clock, targets } = services
  const { target, requestKey, file } = upload
  const now = clock.now()
  await lockOwnAccount(tx, target.accountId)
  const known = await findByRequestKey(tx, target, requestKey)
  if (known) return { operation: known, isNew: false }
  if (target.kind === 'inline' || target.kind === 'og') {
    const post = (await targets.lockPost(tx, target.accountId, target.id)) ?? refuse(postNotFound)
    if (!upload.admission) requireRevision(post.updatedUs, upload.revision)
  }
  await requireStagingQuota(tx, target.accountId, file.sizeBytes)
  if (upload.admission) {
    await upload.admission.admit(tx, file.sizeBytes)
  } else {
    await requireUploadRate(tx, target.accountId, file.sizeBytes, now)
    await enforceLimitOfIp(services, imageUploadsByAddress, upload.ip)
  }
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
    import_id: upload.admission?.importId ?? null,
    created_at: now,
    progress_at: now,
  })
  // The image that is shown stays until this one is cleared. Unfinished earlier uploads are no longer needed.
  for (const earlier of await listEarlier(tx, operation))
    if (isInProgress(earlier)) await supersedeOperation(tx, clock, earlier.id)
  return { operation, isNew: true }
}

/** Stores the bytes, then records them. In this order, so that a crash can never lose bytes recorded as received. */
async function receiveBytes(
  { db, files, clock, log }: UploadServices,
  operation: Operation,
  file: ReceivedFile,
): Promise<void> {
  const key = receivedKey(operation.id)
  try {
    await files.put(key, createReadStream(file.path), { isNew: true })
  } catch (error) {
    log.error({ operationId: operation.id, cause: (error as Error).message }, 'could not store received bytes')
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
  // Another request with the same bytes was faster, or the upload was cancelled meanwhile: nothing refers to this copy.
  if (!received) await files.remove(key)
  if (!received && (await findOperation(db, operation.id))?.ended_by === 'owner') refuse(resourceGone)
}
