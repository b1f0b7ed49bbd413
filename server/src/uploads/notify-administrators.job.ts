import { sql } from 'kysely'
import { z } from 'zod'
import { emailSender } from '../platform/mail/email-sender.ts'
import { renderEmail } from '../platform/mail/render-email.ts'
import { findHold } from './hold-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ holdId: z.uuid() })

/** Emails all administrators that an upload was put on hold by a screener. */
export const notifyAdministrators: Job<typeof payload> = {
  name: 'notify-administrators',
  payload,
  attempts: 14,
  share: 'deliveries',
  async run({ db, mailer, origins, site }, { holdId }) {
    const hold = await findHold(db, holdId)
    if (!hold || hold.cleared_at !== null) return
    const { rows } = await sql<{ id: string; name: string; email: string }>`
      SELECT id, name, email FROM accounts WHERE is_admin AND email IS NOT NULL ORDER BY id`.execute(db)
    for (const { id, name, email } of rows) {
      const message = renderEmail(emailSender({ site, origins }), {
        subject: 'An upload was put on hold',
        greeting: `Hi ${name},`,
        paragraphs: [
          `A screener of ${new URL(origins.base).host} recognized an upload (${hold.target_kind}, operation ${hold.operation_id}). It is not shown to anyone, and its bytes are kept as evidence.`,
          'Review it in the list of holds, and check what the law requires you to do.',
        ],
        link: { label: 'Review holds', url: `${origins.base}/admin/holds` },
        reason: 'You are an administrator of this service.',
      })
      await mailer.send({ ...message, to: email, messageId: `hold-${holdId}-${id}` })
    }
  },
}
