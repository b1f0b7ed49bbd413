import { sql } from 'kysely'
import { z } from 'zod'
import type { Job } from './services.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const payload = z.object({})

/** Forgets what nobody can use any more: attempts, codes, challenges, counts, ended sessions, old answers. */
export const forgetExpired: Job<typeof payload> = {
  name: 'forget-expired',
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
    // An attempt that led to an account stays: its key must not be issued a second time.
    await sql`DELETE FROM registrations WHERE state = 'started' AND expires_at < ${before(dayMs)}`.execute(db)
    await sql`DELETE FROM sessions WHERE expires_at < ${before(30 * dayMs)} OR ended_at < ${before(30 * dayMs)}`.execute(
      db,
    )
    await sql`DELETE FROM idempotent_replies WHERE expires_at < ${now}`.execute(db)
  },
}
