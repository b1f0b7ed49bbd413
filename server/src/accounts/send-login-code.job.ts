import { z } from 'zod'
import { loginEmail } from './account-emails.ts'
import { findAccountByEmail } from './account-store.ts'
import { issueCode } from './email-codes.ts'
import type { Job } from './services.ts'

const codeLifeMs = 10 * 60_000
const payload = z.object({ email: z.string(), issue: z.uuid(), issuedAt: z.coerce.date() })

/** Sends a login code, if the address has an account. The request returns the same reply in both cases. */
export const sendLoginCode: Job<typeof payload> = {
  name: 'send-login-code',
  payload,
  // The wait doubles after each attempt: nine attempts take about as long as the code is valid.
  attempts: 9,
  async run({ db, clock, secrets, mailer, origins }, { email, issue, issuedAt }) {
    const account = await findAccountByEmail(db, email)
    if (!account) return
    const expiresAt = new Date(clock.now().getTime() + codeLifeMs)
    const code = await issueCode(db, secrets, { purpose: 'login', subject: email, issue, issuedAt, expiresAt })
    if (code)
      await mailer.send({ ...loginEmail(origins.base, account.name, code), to: email, messageId: `login-${issue}` })
  },
}
