import { sql } from 'kysely'
import { z } from 'zod'
import type { Job } from './services.ts'

const payload = z.object({})
const monthMs = 30 * 24 * 3_600_000
const maxRows = 10_000
// The next run goes on an hour later.
const longestMs = 10 * 60_000

/**
 * Deletes messages that were sent or cancelled over a month ago, and expired push subscriptions. The feed and waiting
 * messages stay. Messages about new followers stay too, so that someone who follows again is not announced again.
 */
export const deleteOldDeliveries: Job<typeof payload> = {
  name: 'delete-old-deliveries',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock }) {
    const now = clock.now()
    const endsAt = performance.now() + longestMs
    for (let deleted = maxRows; deleted === maxRows && performance.now() < endsAt; ) {
      const { numAffectedRows } = await sql`DELETE FROM notification_deliveries WHERE id IN (
        SELECT id FROM notification_deliveries WHERE created_at < ${new Date(now.getTime() - monthMs)}
          AND state <> 'waiting' AND kind <> 'new_follow' LIMIT ${maxRows})`.execute(db)
      deleted = Number(numAffectedRows)
    }
    await sql`DELETE FROM push_subscriptions WHERE expires_at < ${now}`.execute(db)
  },
}
