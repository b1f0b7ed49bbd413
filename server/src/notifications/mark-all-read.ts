import type { markAllRead as declared } from '@pennypost/contract/notifications'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { markKindsRead, settleReadRows } from './read-store.ts'
import type { Handler, NotificationServices } from './services.ts'
import { settleReadNotifications } from './settle-read-notifications.job.ts'

export const markAllRead: Handler<typeof declared> = async (services, { caller }) => ({
  status: 200,
  body: { updated: await services.db.transaction().execute((tx) => readKinds(tx, services, caller.accountId, 'all')) },
})

const mostInRequest = 500

/** Marks whole kinds as read. Updates the rows right away if there are few, otherwise in a job. */
export async function readKinds(
  tx: Tx,
  { clock }: Pick<NotificationServices, 'clock'>,
  accountId: string,
  kinds: readonly string[] | 'all',
): Promise<number> {
  const updated = await markKindsRead(tx, accountId, kinds)
  const readAt = clock.now()
  if (updated > mostInRequest) {
    await enqueue(tx, clock, settleReadNotifications, { accountId, readAt: readAt.toISOString() })
  } else if (updated > 0) await settleReadRows(tx, accountId, mostInRequest, readAt)
  return updated
}
