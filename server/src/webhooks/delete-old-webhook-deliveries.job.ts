import { sql } from 'kysely'
import { z } from 'zod'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'
import type { Job } from './services.ts'

const payload = z.object({})
const dayMs = 24 * 3_600_000

/**
 * Deletes old webhook deliveries (`KEEP_WEBHOOK_DELIVERIES_DAYS`). By then nothing is waiting: attempts end after three
 * days.
 */
export const deleteOldWebhookDeliveries: Job<typeof payload> = {
  name: 'delete-old-webhook-deliveries',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock, config }) {
    const before = new Date(clock.now().getTime() - config.keepWebhookDeliveriesDays * dayMs)
    await deleteInBatches(db, 'webhook_deliveries', sql`created_at < ${before}`)
  },
}
