import { z } from 'zod'
import { emailSender } from '../platform/mail/email-sender.ts'
import { alreadyRegisteredEmail, registrationEmail } from './account-emails.ts'
import { findAccountByEmail } from './account-store.ts'
import { issueCode } from './email-codes.ts'
import { findRegistration, invalidateEarlierCodes, isSuperseded } from './registration-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ registrationId: z.uuid() })

/**
 * Sends the registration code, or a note if the mailbox already has an account. The lookup is here and not in the
 * request, or the response time would reveal whether an account exists.
 */
export const sendRegistrationCode: Job<typeof payload> = {
  name: 'send-registration-code',
  payload,
  // The wait doubles after each attempt: eleven attempts take about half of the hour that the code is valid.
  attempts: 11,
  share: 'codes',
  async run({ db, clock, secrets, mailer, origins, site }, { registrationId }) {
    const sender = emailSender({ site, origins })
    const registration = await findRegistration(db, registrationId)
    if (registration?.state !== 'started' || registration.expires_at <= clock.now()) return
    const { email, expires_at: expiresAt } = registration
    const messageId = `registration-${registrationId}`
    if (await findAccountByEmail(db, email)) {
      return mailer.send({ ...alreadyRegisteredEmail(sender), to: email, messageId })
    }
    if (await isSuperseded(db, registration)) return
    await invalidateEarlierCodes(db, registration)
    const code = await issueCode(db, secrets, {
      purpose: 'registration',
      subject: registrationId,
      issue: registrationId,
      issuedAt: registration.created_at,
      expiresAt,
    })
    if (code) await mailer.send({ ...registrationEmail(sender, code), to: email, messageId })
  },
}
