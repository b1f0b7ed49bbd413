import type { Tx } from '../platform/database/database.ts'
import { faultPoint } from '../platform/fault-point.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { associateWithTarget } from './associate-with-target.ts'
import { changeAttachment, findAttachmentByOperation } from './attachment-store.ts'
import { cancelOperation, scheduleCleanup } from './cancel-operation.ts'
import { addHold } from './hold-store.ts'
import { notifyAdministrators } from './notify-administrators.job.ts'
import {
  isProfileImage,
  lockOperation,
  moveOperation,
  type Operation,
  type OperationChange,
} from './operation-store.ts'
import type { ClearedZip, Held, Rejected } from './screening/verdict.ts'
import type { UploadServices } from './services.ts'
import { lockTarget, type TargetPost } from './targets.ts'

/** The result of a check. */
export type ScreeningOutcome =
  | { readonly kind: 'image'; readonly media: OperationChange }
  | { readonly kind: 'zip'; readonly zip: ClearedZip }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'lost' }
  | Rejected
  | Held

/**
 * Records a verdict and everything that follows from it in one transaction. An operation that was cancelled during its
 * check stays cancelled, and its cleanup removes what the check left behind.
 */
export async function recordVerdict(
  services: UploadServices,
  operation: Operation,
  outcome: ScreeningOutcome,
): Promise<void> {
  const { db, clock, targets, log } = services
  faultPoint('verdict-reached')
  if (outcome.kind === 'lost') log.error({ operationId: operation.id }, 'received bytes are missing or damaged')
  await db.transaction().execute(async (tx) => {
    const post = await lockTarget(tx, targets, operation)
    const isDraftDeleted = !isProfileImage(operation.target_kind) && !post
    // A match counts even if the upload was cancelled meanwhile.
    if (outcome.kind === 'held') await hold(tx, services, operation, outcome)
    const moved = isDraftDeleted ? undefined : await moveByVerdict(tx, services, operation, outcome, post)
    if (isDraftDeleted) await cancelOperation(tx, clock, operation.id, 'post')
    if (!moved && outcome.kind === 'image') await moveMediaToCleanup(tx, operation.id, outcome.media)
    if (!moved || outcome.kind !== 'zip') await scheduleCleanup(tx, clock, operation.id)
    faultPoint('verdict-uncommitted')
  })
  faultPoint('verdict-recorded')
}

async function moveByVerdict(
  tx: Tx,
  services: UploadServices,
  operation: Operation,
  outcome: ScreeningOutcome,
  post: TargetPost | undefined,
): Promise<Operation | undefined> {
  const { clock } = services
  const ended = { progress_at: clock.now(), next_check_at: null }
  const { id } = operation
  switch (outcome.kind) {
    case 'lost':
      return moveOperation(tx, id, 'lose', { ...ended, last_error: 'bytes-lost', reupload_allowed: true })
    case 'failed':
      return moveOperation(tx, id, 'fail', { ...ended, last_error: outcome.reason, reupload_allowed: true })
    case 'rejected':
      return moveOperation(tx, id, 'reject', { ...ended, last_error: outcome.reason })
    case 'held':
      return moveOperation(tx, id, 'reject', { ...ended, last_error: 'not-allowed' })
  }
  const found = outcome.kind === 'image' ? outcome.media : { csam_coverage: outcome.zip.csamCoverage }
  const cleared = await moveOperation(tx, operation.id, 'clear', { ...ended, ...found, last_error: null })
  if (!cleared) return undefined
  if (outcome.kind === 'zip') {
    const attachment = (await findAttachmentByOperation(tx, operation.id))!
    await changeAttachment(tx, attachment.id, { contents: JSON.stringify(outcome.zip.contents) })
  }
  await associateWithTarget(tx, services, cleared, post)
  return cleared
}

/** Puts a matched upload on hold: it is not shown, its bytes are kept as evidence, and the uploader learns nothing. */
async function hold(tx: Tx, { clock }: UploadServices, { id }: Operation, { match }: Held): Promise<void> {
  // The lock waits for a cleanup that may be removing these bytes: from here on they are evidence.
  await lockOperation(tx, id)
  const holdId = await addHold(tx, {
    operationId: id,
    source: 'screening',
    reason: match,
    placedBy: null,
    now: clock.now(),
  })
  if (holdId) await enqueue(tx, clock, notifyAdministrators, { holdId })
}

const moveMediaToCleanup = (tx: Tx, id: string, { media_key }: OperationChange) =>
  media_key ? tx.updateTable('upload_operations').set({ media_key }).where('id', '=', id).execute() : undefined
