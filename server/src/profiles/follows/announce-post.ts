import type { ServiceClock } from '../../platform/clock.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/jobs/job.ts'
import { hasFollowers } from './follow-store.ts'
import { notifyFollowers } from './notify-followers.job.ts'

/** Notifies the author's followers that a post is public for the first time. */
export async function announcePost(
  tx: Tx,
  clock: ServiceClock,
  post: { readonly id: string; readonly account_id: string },
): Promise<void> {
  if (await hasFollowers(tx, post.account_id))
    await enqueue(tx, clock, notifyFollowers, { postId: post.id, after: null })
}
