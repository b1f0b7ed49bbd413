import { sql } from 'kysely'
import { z } from 'zod'
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
  async run({ db, clock }) {
    const now = clock.now()
    const before = (milliseconds: number) => new Date(now.getTime() - milliseconds)
    await sql`DELETE FROM mailbox_events WHERE at < ${before(hourMs)}`.execute(db)
    await sql`DELETE FROM email_codes WHERE expires_at < ${before(dayMs)}`.execute(db)
    await sql`DELETE FROM wallet_challenges WHERE expires_at < ${before(hourMs)}`.execute(db)
    await sql`DELETE FROM wallet_transfers WHERE expires_at < ${before(hourMs)}`.execute(db)
    await sql`DELETE FROM continuations WHERE expires_at < ${before(dayMs)}`.execute(db)
    // A registration that created an account is kept, so that its key cannot be issued twice.
    await sql`DELETE FROM registrations WHERE state = 'started' AND expires_at < ${before(dayMs)}`.execute(db)
    await sql`DELETE FROM sessions WHERE expires_at < ${before(30 * dayMs)} OR ended_at < ${before(30 * dayMs)}`.execute(
      db,
    )
    await sql`DELETE FROM idempotent_replies WHERE expires_at < ${now}`.execute(db)
  },
}
