import { sql } from 'kysely'
import { z } from 'zod'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'
import type { Job } from './services.ts'

const payload = z.object({})
const maxReaderDays = 62
/** The longest period of statistics in one request. */
const maxReferrerDays = 400

/** Deletes the hashes of readers after their month, and where they came from after a year. The counts stay. */
export const deleteReaders: Job<typeof payload> = {
  name: 'delete-readers',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock }) {
    const dayBefore = (days: number) => new Date(clock.now().getTime() - days * 86_400_000).toISOString().slice(0, 10)
    await deleteInBatches(db, 'post_readers', sql`seen_on < ${dayBefore(maxReaderDays)}::date`)
    await deleteInBatches(db, 'post_referrers', sql`day < ${dayBefore(maxReferrerDays)}::date`)
  },
}
