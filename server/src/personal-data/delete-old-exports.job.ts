import { sql } from 'kysely'
import { z } from 'zod'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'
import type { Job } from './services.ts'

const weekMs = 7 * 86_400_000
const payload = z.object({})

/** Deletes the records of exports after a week. Only those of the last day count against the limit. */
export const deleteOldExports: Job<typeof payload> = {
  name: 'delete-old-exports',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock }) {
    await deleteInBatches(db, 'account_exports', sql`created_at < ${new Date(clock.now().getTime() - weekMs)}`)
  },
}
