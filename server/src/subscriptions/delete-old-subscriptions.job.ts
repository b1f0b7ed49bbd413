import { sql } from 'kysely'
import { z } from 'zod'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'
import type { Job } from './services.ts'
import { pendingMs } from './subscriber-store.ts'

const payload = z.object({})

const monthMs = 30 * 24 * 3_600_000

/** Deletes addresses that were not confirmed in time, and the failed emails of mailings that ended a month ago. */
export const deleteOldSubscriptions: Job<typeof payload> = {
  name: 'delete-old-subscriptions',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock }) {
    const before = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds)
    await deleteInBatches(db, 'subscribers', sql`position IS NULL AND created_at < ${before(pendingMs)}`)
    const isOver = sql`post_id IN (SELECT post_id FROM post_mailings WHERE finished_at < ${before(monthMs)})`
    await deleteInBatches(db, 'post_emails', isOver)
  },
}
