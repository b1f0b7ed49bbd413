import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { cleanUpUpload } from './clean-up-upload.job.ts'
import { changeOperation, lockOperation, markUndesired, moveOperation, type Operation } from './operation-store.ts'

/** Cancels an upload: it disappears from its target and its bytes are cleaned up, unless a hold keeps them. */
export async function cancelOperation(
  tx: Tx,
  clock: Clock,
  id: string,
  endedBy: NonNullable<Operation['ended_by']>,
): Promise<void> {
  const cancelled = await moveOperation(tx, id, 'cancel', { desired: false, ended_by: endedBy, reupload_allowed: true })
  // A rejected or failed upload keeps its state and is only marked as no longer wanted.
  if (!cancelled && !(await markUndesired(tx, id))) return
  await scheduleCleanup(tx, clock, id)
}

/** Cancels an unfinished upload because a newer one for the same target has arrived. */
export async function supersedeOperation(tx: Tx, clock: Clock, id: string): Promise<void> {
  const change = { desired: false, ended_by: 'newer', reupload_allowed: true } as const
  if (await moveOperation(tx, id, 'supersede', change)) await scheduleCleanup(tx, clock, id)
}

/** Enqueues the removal of the bytes that an operation no longer needs. */
export async function scheduleCleanup(tx: Tx, clock: Clock, id: string): Promise<void> {
  const operation = await lockOperation(tx, id)
  if (!operation) return
  if (operation.cleanup_state !== 'retained')
    await changeOperation(tx, id, { cleanup_state: 'queued', cleanup_next_at: clock.now() })
  await enqueue(tx, clock, cleanUpUpload, { operationId: id }, { key: `clean-up:${id}` })
}
