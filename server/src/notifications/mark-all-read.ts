import type { markAllRead as declared } from '@pennypost/contract/notifications'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { markCountsRead, updateReadRows } from './read-store.ts'
import type { Handler, NotificationServices } from './services.ts'
import { updateReadNotifications } from './update-read-notifications.job.ts'

export const markAllRead: Handler<typeof declared> = async (services, { caller }) => ({
  status: 200,
  body: {
    updated: await services.db.transaction().execute((tx) => markKindsRead(tx, services, caller.accountId, 'all')),
  },
})

const maxRowsInRequest = 500

/** Marks whole kinds as read. Updates the rows right away if there are few, otherwise in a job. */
export async function markKindsRead(
  tx: Tx,
  { clock }: Pick<NotificationServices, 'clock'>,
  accountId: string,
  kinds: readonly string[] | 'all',
): Promise<number> {
  const updated = await markCountsRead(tx, accountId, kinds)
  const readAt = clock.now()
  if (updated > maxRowsInRequest) {
    await enqueue(tx, clock, updateReadNotifications, { accountId, readAt: readAt.toISOString() })
  } else if (updated > 0) await updateReadRows(tx, accountId, maxRowsInRequest, readAt)
  return updated
}
