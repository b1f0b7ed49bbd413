import { sql } from 'kysely'
import { z } from 'zod'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'
import type { Job } from './services.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const payload = z.object({})

/** Deletes expired rows: registration attempts, codes, challenges, mail counts, ended sessions and stored replies. */
export const deleteExpired: Job<typeof payload> = {
  name: 'delete-expired',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock, config: { keepSessionsDays } }) {
    const now = clock.now()
    const before = (milliseconds: number) => new Date(now.getTime() - milliseconds)
    await deleteInBatches(db, 'mailbox_events', sql`at < ${before(hourMs)}`)
    await deleteInBatches(db, 'mailbox_days', sql`day < ${before(2 * dayMs)}::date`)
    await deleteInBatches(db, 'email_codes', sql`expires_at < ${before(dayMs)}`)
    await deleteInBatches(db, 'wallet_challenges', sql`expires_at < ${before(hourMs)}`)
    await deleteInBatches(db, 'wallet_transfers', sql`expires_at < ${before(hourMs)}`)
    await deleteInBatches(db, 'continuations', sql`expires_at < ${before(dayMs)}`)
    // A registration that created an account is kept, so that its key cannot be issued twice.
    await deleteInBatches(db, 'registrations', sql`state = 'started' AND expires_at < ${before(dayMs)}`)
    await deleteInBatches(db, 'sessions', sql`expires_at < ${before(keepSessionsDays * dayMs)}`)
    await deleteInBatches(db, 'sessions', sql`ended_at < ${before(keepSessionsDays * dayMs)}`)
    await deleteInBatches(db, 'idempotent_replies', sql`expires_at < ${now}`)
  },
}
