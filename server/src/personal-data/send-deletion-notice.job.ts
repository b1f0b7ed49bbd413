import { z } from 'zod'
import { deletionNoticeEmail } from '../accounts/account-emails.ts'
import { emailSender } from '../platform/mail/email-sender.ts'
import type { Job } from './services.ts'

const payload = z.object({ notice: z.uuid(), email: z.string() })

/** Emails the former address of an account that the account was deleted. */
export const sendDeletionNotice: Job<typeof payload> = {
  name: 'send-deletion-notice',
  payload,
  attempts: 9,
  share: 'codes',
  async run({ mailer, origins, site }, { notice, email }) {
    const rendered = deletionNoticeEmail(emailSender({ site, origins }))
    await mailer.send({ ...rendered, to: email, messageId: `deletion-${notice}` })
  },
}
