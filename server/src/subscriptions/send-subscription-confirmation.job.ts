import { z } from 'zod'
import { emailSender } from '../platform/mail/email-sender.ts'
import { MailRefused } from '../platform/mail/mail.ts'
import { confirmationEmail } from './confirmation-email.ts'
import type { Job } from './services.ts'
import { findDueConfirmation } from './subscriber-store.ts'
import { subscriptionUrl } from './subscription-token.ts'

const payload = z.object({ subscriberId: z.uuid(), requestedAt: z.iso.datetime() })

/** Asks the owner of an address to confirm a subscription. Sends nothing if the address is subscribed already. */
export const sendSubscriptionConfirmation: Job<typeof payload> = {
  name: 'send-subscription-confirmation',
  payload,
  attempts: 9,
  share: 'codes',
  async run(services, { subscriberId, requestedAt }) {
    const { db, secrets, mailer, origins } = services
    const pending = await findDueConfirmation(db, subscriberId, new Date(requestedAt))
    if (!pending) return
    const url = subscriptionUrl(origins.base, secrets, 'confirm', subscriberId)
    try {
      await mailer.send({
        ...confirmationEmail(emailSender(services), pending.handle, url),
        to: pending.email,
        messageId: `subscription-${subscriberId}-${Date.parse(requestedAt)}`,
      })
    } catch (error) {
      // An address that does not exist. What waits for its confirmation is deleted after a week.
      if (!(error instanceof MailRefused)) throw error
    }
  },
}
