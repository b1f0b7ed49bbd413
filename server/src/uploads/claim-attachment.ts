import { createHash, randomUUID } from 'node:crypto'
import { partBytes, zipBytes } from '@pennypost/contract/attachments'
import { payloadTooLarge } from '@pennypost/contract/errors'
import { uploadIdempotency } from '@pennypost/contract/idempotency'
import { paidPostRequired, postNotFound } from '@pennypost/contract/posts'
import { resourceGone } from '@pennypost/contract/uploads'
import { lockOwnAccount } from '../accounts/account-store.ts'
import type { Tx } from '../platform/database/database.ts'
import { faultPoint } from '../platform/fault-point.ts'
import { refuse } from '../platform/http/refuse.ts'
import { addAttachment, findAttachmentByOperation } from './attachment-store.ts'
import { addOperation, findByRequestKey, type Operation, type Target } from './operation-store.ts'
import { addParts } from './part-store.ts'
import { requireRevision } from './revision.ts'
import { isExpired } from './safety.ts'
import { policyVersion } from './screening/screening.ts'
import type { UploadServices } from './services.ts'
import { type Admission, requireAttachmentQuota, requireUploadRate } from './upload-limits.ts'

export interface AttachmentIntent {
  readonly filename: string
  readonly description: string
  readonly sizeBytes: number
  readonly sha256: string
  /** Sent as a single form, by clients of the first version of the API. */
  readonly isLegacy: boolean
}

/** The permission for an upload: the revision of the post as the client last saw it, or an import. */
interface UploadPermission {
  readonly revision?: string | undefined
  readonly admission?: Admission
}

export interface AttachmentClaim {
  readonly operation: Operation
  readonly isNew: boolean
}

export const attachmentTarget = (accountId: string, postId: string): Target => ({
  accountId,
  kind: 'attachment',
  id: postId,
  key: '',
})

/** Reserves a place for a ZIP on a post. The same request key always returns the same reservation. */
export async function claimAttachment(
  services: UploadServices,
  target: Target,
  requestKey: string,
  intent: AttachmentIntent,
  allowed: UploadPermission,
): Promise<AttachmentClaim> {
  const { db, clock } = services
  if (intent.sizeBytes > zipBytes) refuse(payloadTooLarge)
  const known = await findByRequestKey(db, target, requestKey)
  const claimed = known
    ? { operation: known, isNew: false }
    : await db.transaction().execute((tx) => reserve(tx, services, target, requestKey, intent, allowed))
  faultPoint('zip-reserved')
  if (claimed.isNew) return claimed
  const { operation } = claimed
  if (!operation.fingerprint.equals(fingerprintOf(intent))) refuse(uploadIdempotency.conflict)
  const attachment = await findAttachmentByOperation(db, operation.id)
  const isGone =
    operation.state === 'cancelled' || attachment?.state === 'cleanup_queued' || attachment?.state === 'removed'
  if (isGone || isExpired(operation, clock.now())) refuse(resourceGone)
  return claimed
}

// Includes isLegacy: an upload that began in parts cannot continue as a single form, or the other way round.
const fingerprintOf = ({ filename, description, sizeBytes, sha256, isLegacy }: AttachmentIntent): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([isLegacy, filename, description, sizeBytes, sha256]))
    .digest()

async function reserve(
  tx: Tx,
  { clock, targets }: UploadServices,
  target: Target,
  requestKey: string,
  intent: AttachmentIntent,
  { revision, admission }: UploadPermission,
): Promise<AttachmentClaim> {
  const { accountId, id: postId } = target
  const now = clock.now()
  await lockOwnAccount(tx, accountId)
  const known = await findByRequestKey(tx, target, requestKey)
  if (known) return { operation: known, isNew: false }
  const post = (await targets.lockPost(tx, accountId, postId)) ?? refuse(postNotFound)
  if (!admission) requireRevision(post.updatedUs, revision)
  if (!post.hasPaywall) {
    const error = { field: 'enablePaywall', code: 'paid_post_required', message: 'must be on to attach a ZIP file' }
    refuse(paidPostRequired, { errors: [error] })
  }
  await requireAttachmentQuota(tx, accountId, postId, intent.sizeBytes)
  await (admission ? admission.admit(tx, intent.sizeBytes) : requireUploadRate(tx, accountId, intent.sizeBytes, now))
  const operation = await addOperation(tx, {
    id: randomUUID(),
    account_id: accountId,
    target_kind: 'attachment',
    target_id: postId,
    target_key: '',
    request_key: requestKey,
    fingerprint: fingerprintOf(intent),
    generation: 1,
    size_bytes: intent.sizeBytes,
    sha256: intent.sha256,
    content_type: 'application/zip',
    policy_version: policyVersion,
    import_id: admission?.importId ?? null,
    created_at: now,
    progress_at: now,
  })
  await addAttachment(tx, {
    id: randomUUID(),
    operation_id: operation.id,
    account_id: accountId,
    post_id: postId,
    filename: intent.filename,
    description: intent.description,
    is_legacy: intent.isLegacy,
    created_at: now,
  })
  if (!intent.isLegacy) await addParts(tx, operation.id, intent.sizeBytes, partBytes)
  return { operation, isNew: true }
}
