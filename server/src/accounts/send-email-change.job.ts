import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { emailSender } from '../platform/mail/email-sender.ts'
import { addressTakenEmail, emailChangeEmail } from './account-emails.ts'
import { findAccountByEmail } from './account-store.ts'
import { findEmailChange, saveLink } from './email-change-store.ts'
import { accountCodeSubject, issueCode } from './email-codes.ts'
import type { Job } from './services.ts'

const codeLifeMs = 10 * 60_000
const linkLifeMs = 60 * 60_000
const payload = z.object({ accountId: z.uuid(), email: z.string(), issue: z.uuid(), issuedAt: z.coerce.date() })

/**
 * Sends the code and the link to the new address. If another account has that address, its owner gets a note instead,
 * and the account that asked does not learn of it.
 */
export const sendEmailChange: Job<typeof payload> = {
  name: 'send-email-change',
  payload,
  // The wait doubles after each attempt: nine attempts take about as long as the code is valid.
  attempts: 9,
  share: 'codes',
  async run({ db, clock, secrets, mailer, origins, config, site }, { accountId, email, issue, issuedAt }) {
    const sender = emailSender({ site, origins })
    const change = await findEmailChange(db, accountId)
    // A different address was requested since. The job for that one sends the mail.
    if (change?.email !== email) return
    const messageId = `email-change-${issue}`
    if (await findAccountByEmail(db, email)) {
      return mailer.send({ ...addressTakenEmail(sender), to: email, messageId })
    }
    const now = clock.now().getTime()
    const expiresAt = new Date(now + codeLifeMs)
    const code = await issueCode(db, secrets, {
      purpose: 'email_change',
      subject: accountCodeSubject(accountId, email),
      issue,
      issuedAt,
      expiresAt,
    })
    if (!code) return
    const token = createHmac('sha256', secrets.key('email-link'))
      .update(`${accountId}\n${email}\n${issue}`)
      .digest('base64url')
    await saveLink(db, accountId, email, token, new Date(now + linkLifeMs))
    const url = `${config.identityProviderUrl ?? origins.base}/auth/v1/verify?token=${token}&type=email_change`
    await mailer.send({ ...emailChangeEmail(sender, code, url), to: email, messageId })
  },
}
