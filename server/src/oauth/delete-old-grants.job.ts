import { sql } from 'kysely'
import { z } from 'zod'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'
import type { Job } from './services.ts'

const dayMs = 86_400_000
const payload = z.object({})

/** Deletes grants a month after they expired, and codes that no program used after a day. */
export const deleteOldGrants: Job<typeof payload> = {
  name: 'delete-old-grants',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock }) {
    const before = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds)
    await deleteInBatches(db, 'oauth_grants', sql`expires_at < ${before(30 * dayMs)}`)
    await deleteInBatches(db, 'oauth_grants', sql`expires_at < ${before(dayMs)} AND generation = 0`)
  },
}
