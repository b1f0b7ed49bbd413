import { sql } from 'kysely'
import { z } from 'zod'
import { renderEmail } from '../platform/mail/render-email.ts'
import { findHold } from './hold-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ holdId: z.uuid() })

/** Tells everybody who can do something about it that an upload was held back. */
export const notifyAdministrators: Job<typeof payload> = {
  name: 'notify-administrators',
  payload,
  attempts: 14,
  async run({ db, mailer, origins }, { holdId }) {
    const hold = await findHold(db, holdId)
    if (!hold || hold.cleared_at !== null) return
    const { rows } = await sql<{ id: string; name: string; email: string }>`
      SELECT id, name, email FROM accounts WHERE is_admin AND email IS NOT NULL ORDER BY id`.execute(db)
    for (const { id, name, email } of rows) {
      const letter = renderEmail({
        subject: 'An upload was held back',
        greeting: `Hello ${name},`,
        paragraphs: [
          `a screener of ${new URL(origins.base).host} recognized an upload (${hold.target_kind}, operation ${hold.operation_id}). It is shown to nobody, and its bytes are kept.`,
          'Look at the list of holds and decide what the law where you are asks of you.',
        ],
        reason: 'You are an administrator of this service.',
      })
      await mailer.send({ ...letter, to: email, messageId: `hold-${holdId}-${id}` })
    }
  },
}
