import type { Tx } from '../platform/database/database.ts'
import { faultPoint } from '../platform/fault-point.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { associateWithTarget } from './associate-with-target.ts'
import { changeAttachment, findAttachmentByOperation } from './attachment-store.ts'
import { cancelOperation, scheduleCleanup } from './cancel-operation.ts'
import { addHold } from './hold-store.ts'
import { notifyAdministrators } from './notify-administrators.job.ts'
import { lockOperation, moveOperation, type Operation, type OperationChange } from './operation-store.ts'
import type { ClearedZip, Held, Rejected } from './screening/verdict.ts'
import type { UploadServices } from './services.ts'
import { lockTarget, type TargetPost } from './targets.ts'

/** What a check came to. */
export type ScreeningOutcome =
  | { readonly kind: 'image'; readonly media: OperationChange }
  | { readonly kind: 'zip'; readonly zip: ClearedZip }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'lost' }
  | Rejected
  | Held

/**
 * Writes down the verdict and all that follows from it, together. An operation that was cancelled during its check
 * stays cancelled: its cleanup finds what the check left behind.
 */
export async function recordVerdict(
  services: UploadServices,
  operation: Operation,
  settled: ScreeningOutcome,
): Promise<void> {
  const { db, clock, targets, log } = services
  faultPoint('verdict-reached')
  if (settled.kind === 'lost') log.error({ operationId: operation.id }, 'received bytes are missing or damaged')
  await db.transaction().execute(async (tx) => {
    const isOfPost = operation.target_kind !== 'avatar' && operation.target_kind !== 'header'
    const post = await lockTarget(tx, targets, operation)
    // Whatever became of the upload meanwhile: a match is a match.
    if (settled.kind === 'held') await hold(tx, services, operation, settled)
    const moved = isOfPost && !post ? undefined : await moveByVerdict(tx, services, operation, settled, post)
    // Its draft was deleted while it was checked.
    if (isOfPost && !post) await cancelOperation(tx, clock, operation.id, 'post')
    if (!moved && settled.kind === 'image') await moveMediaToCleanup(tx, operation.id, settled.media)
    if (!moved || settled.kind !== 'zip') await scheduleCleanup(tx, clock, operation.id)
    faultPoint('verdict-uncommitted')
  })
  faultPoint('verdict-recorded')
}

async function moveByVerdict(
  tx: Tx,
  services: UploadServices,
  operation: Operation,
  settled: ScreeningOutcome,
  post: TargetPost | undefined,
): Promise<Operation | undefined> {
  const { clock } = services
  const ended = { progress_at: clock.now(), next_check_at: null }
  if (settled.kind === 'failed' || settled.kind === 'lost') {
    const last_error = settled.kind === 'lost' ? 'bytes-lost' : settled.reason
    return moveOperation(tx, operation.id, settled.kind === 'lost' ? 'lose' : 'fail', {
      ...ended,
      last_error,
      reupload_allowed: true,
    })
  }
  if (settled.kind === 'rejected')
    return moveOperation(tx, operation.id, 'reject', { ...ended, last_error: settled.reason })
  if (settled.kind === 'held') return moveOperation(tx, operation.id, 'reject', { ...ended, last_error: 'not-allowed' })
  const found = settled.kind === 'image' ? settled.media : { csam_coverage: settled.zip.csamCoverage }
  const cleared = await moveOperation(tx, operation.id, 'clear', { ...ended, ...found, last_error: null })
  if (!cleared) return undefined
  if (settled.kind === 'zip') {
    const attachment = (await findAttachmentByOperation(tx, operation.id))!
    await changeAttachment(tx, attachment.id, { contents: JSON.stringify(settled.zip.contents) })
  }
  await associateWithTarget(tx, services, cleared, post)
  return cleared
}

/** A match: nobody gets to see it, its bytes stay for those who must look into it, and the uploader is told nothing. */
async function hold(tx: Tx, { clock }: UploadServices, { id }: Operation, { match }: Held): Promise<void> {
  // Against a cleanup that is just removing what is evidence now.
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
