import type { DeleterRole } from '@pennypost/contract/comments'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { eraseCommentNotifications } from './erase-comment-notifications.job.ts'
import { markCommentDeleted, type Removal } from './removal-store.ts'

/**
 * Deletes a comment and enqueues the job that removes its text from notifications. Safe to call on a deleted comment.
 */
export async function removeComment(
  tx: Tx,
  clock: Clock,
  comment: { readonly id: string; readonly post_id: string },
  role: DeleterRole,
): Promise<{ removal: Removal; isFirst: boolean }> {
  const removed = await markCommentDeleted(tx, comment, role, clock.now())
  if (removed.isFirst) await enqueue(tx, clock, eraseCommentNotifications, { commentId: comment.id })
  return removed
}
