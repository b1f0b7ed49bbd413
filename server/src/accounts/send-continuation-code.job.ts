import { z } from 'zod'
import { emailSender } from '../platform/mail/email-sender.ts'
import { continuationEmail, notAdmittedEmail } from './account-emails.ts'
import { findAccountByEmail } from './account-store.ts'
import { findContinuation } from './continuation-store.ts'
import { issueCode, linkToken } from './email-codes.ts'
import type { Job } from './services.ts'

const payload = z.object({ continuationId: z.uuid() })

/**
 * Sends the code and the link, whether or not the mailbox has an account. The code belongs to the mailbox, not to the
 * request: asking for another one invalidates the first, but the owner can enter the newest code in any form.
 */
export const sendContinuationCode: Job<typeof payload> = {
  name: 'send-continuation-code',
  payload,
  // The wait doubles after each attempt: nine attempts take about as long as the code is valid.
  attempts: 9,
  share: 'codes',
  async run({ db, clock, secrets, mailer, origins, site }, { continuationId }) {
    const sender = emailSender({ site, origins })
    const continuation = await findContinuation(db, continuationId)
    if (!continuation || continuation.used_at || continuation.expires_at <= clock.now()) return
    const { email, created_at: issuedAt, expires_at: expiresAt } = continuation
    const messageId = `continuation-${continuationId}`
    const isNew = (await findAccountByEmail(db, email)) === undefined
    const { registration } = site.settings()
    const isAdmitted = registration === 'open' || (registration === 'invite' && continuation.invitation_id !== null)
    if (isNew && !isAdmitted) return mailer.send({ ...notAdmittedEmail(sender, registration), to: email, messageId })
    const subject = { purpose: 'continuation', subject: email } as const
    const code = await issueCode(db, secrets, { ...subject, issue: continuationId, issuedAt, expiresAt })
    if (!code) return
    // In the fragment, which browsers do not send, so that the token is in no log.
    const fragment = new URLSearchParams({
      continuation: continuationId,
      email,
      token: linkToken(secrets, subject, code),
    })
    await mailer.send({
      ...continuationEmail(sender, isNew, code, `${origins.base}/sign-in#${fragment}`),
      to: email,
      messageId,
    })
  },
}
