import { sql } from 'kysely'
import { z } from 'zod'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'
import type { Job } from './services.ts'

const payload = z.object({})
const maxAgeDays = 62

/** Deletes the hashes of readers after their month. The counts stay. */
export const deleteReaders: Job<typeof payload> = {
  name: 'delete-readers',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock }) {
    const before = new Date(clock.now().getTime() - maxAgeDays * 24 * 3_600_000).toISOString().slice(0, 10)
    await deleteInBatches(db, 'post_readers', sql`seen_on < ${before}::date`)
  },
}
