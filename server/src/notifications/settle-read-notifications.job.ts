import { z } from 'zod'
import { settleReadRows } from './read-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ accountId: z.uuid(), readAt: z.iso.datetime() })
const batch = 2_000

/** Somebody read more at once than a request should write. */
export const settleReadNotifications: Job<typeof payload> = {
  name: 'settle-read-notifications',
  payload,
  attempts: 10,
  async run({ db }, { accountId, readAt }) {
    for (let settled = batch; settled > 0; ) settled = await settleReadRows(db, accountId, batch, new Date(readAt))
  },
}
