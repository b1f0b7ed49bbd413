import { sql } from 'kysely'
import { z } from 'zod'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'
import type { Job } from './services.ts'

const payload = z.object({})
const dayMs = 24 * 3_600_000

/**
 * Deletes messages that were sent or cancelled long ago (`KEEP_DELIVERIES_DAYS`), and expired push subscriptions. The feed and waiting
 * messages stay. Messages about new followers stay too, so that someone who follows again is not announced again.
 */
export const deleteOldDeliveries: Job<typeof payload> = {
  name: 'delete-old-deliveries',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock, config }) {
    const now = clock.now()
    const before = new Date(now.getTime() - config.keepDeliveriesDays * dayMs)
    const isOver = sql`created_at < ${before} AND state <> 'waiting' AND kind <> 'new_follow'`
    await deleteInBatches(db, 'notification_deliveries', isOver)
    await deleteInBatches(db, 'push_subscriptions', sql`expires_at < ${now}`)
  },
}
