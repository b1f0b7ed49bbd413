import { z } from 'zod'
import { emailSender } from '../platform/mail/email-sender.ts'
import { changeDoneEmail, changeRequestedEmail } from './account-emails.ts'
import type { Job } from './services.ts'

const payload = z.object({
  notice: z.uuid(),
  oldEmail: z.string(),
  newEmail: z.string(),
  moment: z.enum(['requested', 'done']),
})

/** Notifies the old address. It is in the payload, because the account may already have the new one. */
export const sendChangeNotice: Job<typeof payload> = {
  name: 'send-change-notice',
  payload,
  // The wait doubles after each attempt: fourteen attempts take about four and a half hours.
  attempts: 14,
  share: 'codes',
  async run({ mailer, origins, site }, { notice, oldEmail, newEmail, moment }) {
    const sender = emailSender({ site, origins })
    const email = moment === 'done' ? changeDoneEmail(sender, newEmail) : changeRequestedEmail(sender, newEmail)
    await mailer.send({ ...email, to: oldEmail, messageId: `email-${moment}-${notice}` })
  },
}
