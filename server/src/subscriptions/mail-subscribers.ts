import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { mailPost } from './mail-post.job.ts'
import { addMailing } from './mailing-store.ts'

/** Mails a post to the subscribers its author has now, in the transaction that publishes it for the first time. */
export async function mailSubscribers(
  tx: Tx,
  clock: Clock,
  post: { readonly id: string; readonly account_id: string },
): Promise<void> {
  if (await addMailing(tx, post.id, post.account_id, clock.now()))
    await enqueue(tx, clock, mailPost, { postId: post.id }, { key: `mail-post:${post.id}` })
}
