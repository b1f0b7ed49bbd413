import { z } from 'zod'
import { deleteByAccount } from '../platform/database/delete-by-account.ts'
import { deleteNotificationsBefore, listAccountsWithOld } from './notification-retention.ts'
import type { Job } from './services.ts'

const payload = z.object({})
const dayMs = 86_400_000

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
    await deleteByAccount({
      listNext: (after, limit) => listAccountsWithOld(db, after, before, limit),
      deleteSome: (accountId, limit) => deleteNotificationsBefore(db, accountId, before, limit),
      batchSize: 1_000,
    })
  },
}
