import type { DeleterRole } from '@pennypost/contract/comments'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { type Removal, removeComment } from './removal-store.ts'
import { withdrawNews } from './withdraw-comment-news.job.ts'

/**
 * Deletes a comment and enqueues the job that removes its text from notifications. Safe to call on a deleted comment.
 */
export async function takeDown(
  tx: Tx,
  clock: Clock,
  comment: { readonly id: string; readonly post_id: string },
  role: DeleterRole,
): Promise<{ removal: Removal; isFirst: boolean }> {
  const removed = await removeComment(tx, comment, role, clock.now())
  if (removed.isFirst) await enqueue(tx, clock, withdrawNews, { commentId: comment.id })
  return removed
}
