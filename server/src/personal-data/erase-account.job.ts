import { Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { findAccount } from '../accounts/account-store.ts'
import { removeLogins } from '../accounts/close-account.ts'
import { eraseBookmarks } from '../discovery/bookmark-store.ts'
import { eraseDiscussion } from '../discussion/erase-discussion.ts'
import { eraseNotifications } from '../notifications/erase-notifications.ts'
import { eraseMessages } from '../payments/orders/erase-messages.ts'
import { faultPoint } from '../platform/fault-point.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { erasePosts } from '../posts/erase-posts.ts'
import { eraseFollows, removeProfile } from '../profiles/erase-profile.ts'
import { eraseStatistics } from '../statistics/erase-statistics.ts'
import { eraseSubscribers } from '../subscriptions/erase-subscriptions.ts'
import { eraseWebhooks } from '../webhooks/erase-webhooks.ts'
import type { Job } from './services.ts'

const payload = z.object({ accountId: Uuid, isLastPass: z.boolean() })
/** Longer than any request, upload or order quote that was under way lasts. */
const secondPassMs = 2 * 3_600_000

/**
 * Erases what a deleted account left, in small steps that each are committed: a run that is killed goes on where it stopped,
 * because every step looks for what is still there. It runs a second time hours later, for what requests that were under way
 * wrote, and again while an order for one of the posts is open.
 */
export const eraseAccount: Job<typeof payload> = {
  name: 'erase-account',
  payload,
  queue: ({ accountId }) => `erase-account:${accountId}`,
  attempts: 20,
  share: 'spare',
  async run(services, { accountId, isLastPass }) {
    const { db, clock } = services
    // A restored backup may not know of the deletion.
    if ((await findAccount(db, accountId))?.deleted_at == null) return
    await eraseDiscussion(services, accountId)
    faultPoint('discussion-erased')
    const isFinished = await erasePosts(services, accountId)
    await eraseFollows(db, accountId)
    await eraseBookmarks(db, accountId)
    await eraseSubscribers(db, accountId)
    await eraseStatistics(db, accountId)
    await eraseNotifications(db, accountId)
    await eraseWebhooks(db, accountId)
    await eraseMessages(db, accountId)
    await db.transaction().execute(async (tx) => {
      await removeLogins(tx, accountId)
      await removeProfile(tx, clock, accountId)
      if (isLastPass && isFinished) return
      const runAt = new Date(clock.now().getTime() + secondPassMs)
      await enqueue(tx, clock, eraseAccount, { accountId, isLastPass: true }, { runAt, key: `erase:${accountId}` })
    })
  },
}
