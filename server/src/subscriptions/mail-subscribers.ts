import type { EmailedToSubscribers } from '@pennypost/contract/publishing'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { mailingsKey, mailPosts } from './mail-posts.job.ts'
import { addMailing, findMailable } from './mailing-store.ts'
import type { SubscriptionServices } from './services.ts'

const dayMs = 24 * 3_600_000

/**
 * Mails a post to the subscribers its author has now, in the transaction that publishes it for the first time. The caller has
 * locked the author's account, so that two posts are counted one after the other.
 */
export async function mailSubscribers(
  tx: Tx,
  { clock, config }: Pick<SubscriptionServices, 'clock' | 'config'>,
  { id: postId, account_id: creatorId }: { readonly id: string; readonly account_id: string },
): Promise<EmailedToSubscribers> {
  const now = clock.now()
  const { has_subscribers, mailings } = await findMailable(tx, creatorId, new Date(now.getTime() - dayMs))
  if (!has_subscribers) return 'none'
  if (mailings >= config.mailingsPerDay) return 'limit_reached'
  if (!(await addMailing(tx, postId, creatorId, now))) return 'none'
  await enqueue(tx, clock, mailPosts, { creatorId }, { key: mailingsKey(creatorId) })
  return 'started'
}
