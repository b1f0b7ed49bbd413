import { ConfirmedAction } from '@pennypost/contract/wallet-logins'
import { z } from 'zod'
import { emailSender } from '../platform/mail/email-sender.ts'
import { confirmationEmail } from './account-emails.ts'
import { findAccount } from './account-store.ts'
import { accountCodeSubject, issueCode } from './email-codes.ts'
import { loginCodeLifeMs } from './mailbox-limits.ts'
import type { Job } from './services.ts'

const payload = z.object({
  accountId: z.uuid(),
  email: z.string(),
  purpose: ConfirmedAction,
  issue: z.uuid(),
  issuedAt: z.coerce.date(),
})

/** Sends the code that confirms an export or a deletion, unless the account has another address by now. */
export const sendConfirmationCode: Job<typeof payload> = {
  name: 'send-confirmation-code',
  payload,
  // The wait doubles after each attempt: nine attempts take about as long as the code is valid.
  attempts: 9,
  share: 'codes',
  async run({ db, clock, secrets, mailer, origins, site }, { accountId, email, purpose, issue, issuedAt }) {
    const account = await findAccount(db, accountId)
    if (account?.email !== email) return
    const expiresAt = new Date(clock.now().getTime() + loginCodeLifeMs)
    const subject = accountCodeSubject(accountId, email)
    const code = await issueCode(db, secrets, { purpose, subject, issue, issuedAt, expiresAt })
    if (!code) return
    const rendered = confirmationEmail(emailSender({ site, origins }), account, purpose, code)
    await mailer.send({ ...rendered, to: email, messageId: `confirmation-${issue}` })
  },
}
