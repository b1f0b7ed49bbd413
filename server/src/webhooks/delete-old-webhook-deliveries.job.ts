import { sql } from 'kysely'
import { z } from 'zod'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'
import type { Job } from './services.ts'

const payload = z.object({})
const monthMs = 30 * 24 * 3_600_000

/** Deletes what webhooks were sent over a month ago. By then nothing is waiting: attempts end after three days. */
export const deleteOldWebhookDeliveries: Job<typeof payload> = {
  name: 'delete-old-webhook-deliveries',
  payload,
  attempts: 3,
  every: 'day',
  run: ({ db, clock }) =>
    deleteInBatches(db, 'webhook_deliveries', sql`created_at < ${new Date(clock.now().getTime() - monthMs)}`),
}
