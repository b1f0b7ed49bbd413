import { z } from 'zod'
import { emailSender } from '../platform/mail/email-sender.ts'
import { loginEmail } from './account-emails.ts'
import { findAccountByEmail } from './account-store.ts'
import { issueCode, linkToken } from './email-codes.ts'
import { loginCodeLifeMs } from './mailbox-limits.ts'
import type { Job } from './services.ts'

const payload = z.object({ email: z.string(), issue: z.uuid(), issuedAt: z.coerce.date() })

/** Sends a login code, if the address has an account. The request returns the same reply in both cases. */
export const sendLoginCode: Job<typeof payload> = {
  name: 'send-login-code',
  payload,
  // The wait doubles after each attempt: nine attempts take about as long as the code is valid.
  attempts: 9,
  share: 'codes',
  async run({ db, clock, secrets, mailer, origins, site }, { email, issue, issuedAt }) {
    const sender = emailSender({ site, origins })
    const account = await findAccountByEmail(db, email)
    if (!account) return
    const expiresAt = new Date(clock.now().getTime() + loginCodeLifeMs)
    const code = await issueCode(db, secrets, { purpose: 'login', subject: email, issue, issuedAt, expiresAt })
    if (!code) return
    // In the fragment, which browsers do not send, so that the token is in no log.
    const fragment = new URLSearchParams({
      email,
      token: linkToken(secrets, { purpose: 'login', subject: email }, code),
    })
    const url = `${origins.base}/sign-in#${fragment}`
    await mailer.send({ ...loginEmail(sender, account.name, code, url), to: email, messageId: `login-${issue}` })
  },
}
