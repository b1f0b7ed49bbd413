import type { EmailedToSubscribers } from '@pennypost/contract/publishing'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { mailingsKey, mailPosts } from './mail-posts.job.ts'
import { addMailing, countMailings } from './mailing-store.ts'
import type { SubscriptionServices } from './services.ts'
import { hasSubscribers } from './subscriber-store.ts'

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
  const mailed = await countMailings(tx, creatorId, new Date(now.getTime() - dayMs))
  if (mailed >= config.mailingsPerDay) return (await hasSubscribers(tx, creatorId)) ? 'limit_reached' : 'none'
  if (!(await addMailing(tx, postId, creatorId, now))) return 'none'
  await enqueue(tx, clock, mailPosts, { creatorId }, { key: mailingsKey(creatorId) })
  return 'started'
}
