import { z } from 'zod'
import { findAccountByEmail } from './account-store.ts'
import { issueCode } from './email-codes.ts'
import { alreadyRegisteredLetter, registrationLetter } from './letters.ts'
import { findRegistration, isSuperseded, voidEarlierCodes } from './registration-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ registrationId: z.uuid() })

/** Whether the mailbox has an account is looked up here and not in the request, whose time must not tell. */
export const sendRegistrationCode: Job<typeof payload> = {
  name: 'send-registration-code',
  payload,
  // Waits double: about as long as what it sends is good for.
  attempts: 11,
  async run({ db, clock, secrets, mailer, origins }, { registrationId }) {
    const registration = await findRegistration(db, registrationId)
    if (registration?.state !== 'started' || registration.expires_at <= clock.now()) return
    const { email, name, expires_at: expiresAt } = registration
    const messageId = `registration-${registrationId}`
    if (await findAccountByEmail(db, email)) {
      return mailer.send({ ...alreadyRegisteredLetter(origins.base), to: email, messageId })
    }
    if (await isSuperseded(db, registration)) return
    await voidEarlierCodes(db, registration)
    const code = await issueCode(db, secrets, {
      purpose: 'registration',
      subject: registrationId,
      issue: registrationId,
      issuedAt: registration.created_at,
      expiresAt,
    })
    if (code) await mailer.send({ ...registrationLetter(origins.base, name, code), to: email, messageId })
  },
}
