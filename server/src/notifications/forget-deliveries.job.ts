import { sql } from 'kysely'
import { z } from 'zod'
import type { Job } from './services.ts'

const payload = z.object({})
const monthMs = 30 * 24 * 3_600_000
const most = 10_000

/**
 * Forgets messages that were sent or given up long ago, and browsers that went away. The feed stays, and so does what
 * waits to be sent. Of a new follower too it is kept that it was told: they may come again, and that is no news.
 */
export const forgetDeliveries: Job<typeof payload> = {
  name: 'forget-deliveries',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock }) {
    const now = clock.now()
    await sql`DELETE FROM notification_deliveries WHERE id IN (
      SELECT id FROM notification_deliveries WHERE created_at < ${new Date(now.getTime() - monthMs)}
        AND state <> 'waiting' AND kind <> 'new_follow' LIMIT ${most})`.execute(db)
    await sql`DELETE FROM push_subscriptions WHERE expires_at < ${now}`.execute(db)
  },
}
