import { z } from 'zod'
import { updateReadRows } from './read-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ accountId: z.uuid(), readAt: z.iso.datetime() })
const batchSize = 2_000

/** Updates the rows that were marked as read, when there are too many to do it in the request. */
export const updateReadNotifications: Job<typeof payload> = {
  name: 'update-read-notifications',
  payload,
  attempts: 10,
  share: 'notifications',
  async run({ db }, { accountId, readAt }) {
    for (let updated = batchSize; updated > 0; )
      updated = await updateReadRows(db, accountId, batchSize, new Date(readAt))
  },
}
