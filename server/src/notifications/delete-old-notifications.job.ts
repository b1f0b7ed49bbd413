import { z } from 'zod'
import { deleteNotificationsBefore, listAccountsWithOld } from './notification-retention.ts'
import type { Job } from './services.ts'

const payload = z.object({})
const dayMs = 86_400_000
const accountsAtOnce = 1_000
const rowsAtOnce = 1_000
// It goes on from the beginning the next day: what was deleted is gone by then.
const longestMs = 30 * 60_000

/** Deletes notifications that are older than the operator wants to keep them. */
export const deleteOldNotifications: Job<typeof payload> = {
  name: 'delete-old-notifications',
  payload,
  attempts: 3,
  every: 'day',
  share: 'spare',
  lowPriority: true,
  async run({ db, clock, config: { keepNotificationsDays } }) {
    if (keepNotificationsDays === undefined) return
    const before = new Date(clock.now().getTime() - keepNotificationsDays * dayMs)
    const endsAt = performance.now() + longestMs
    let after: string | undefined = '00000000-0000-0000-0000-000000000000'
    while (after !== undefined && performance.now() < endsAt) {
      const accounts: { accountId: string; hasOld: boolean }[] = await listAccountsWithOld(
        db,
        after,
        before,
        accountsAtOnce,
      )
      for (const { accountId, hasOld } of accounts)
        for (let deleted = rowsAtOnce; hasOld && deleted === rowsAtOnce && performance.now() < endsAt; )
          deleted = await deleteNotificationsBefore(db, accountId, before, rowsAtOnce)
      after = accounts.length === accountsAtOnce ? accounts.at(-1)!.accountId : undefined
    }
  },
}
