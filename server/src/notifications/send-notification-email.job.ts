import { z } from 'zod'
import { emailSender } from '../platform/mail/email-sender.ts'
import { MailRefused } from '../platform/mail/mail.ts'
import { admitDelivery } from './admit-delivery.ts'
import { findDelivery, moveDelivery } from './delivery-store.ts'
import { notificationEmail } from './notification-email.ts'
import type { Job } from './services.ts'
import { unsubscribeUrl } from './unsubscribe-token.ts'

const payload = z.object({ deliveryId: z.uuid() })

/**
 * Sends one email, or leaves it to the next digest if its recipient has reached the limit. A retry after a crash has the
 * same Message-ID.
 */
export const sendNotificationEmail: Job<typeof payload> = {
  name: 'send-notification-email',
  payload,
  attempts: 12,
  share: 'deliveries',
  lowPriority: true,
  async run(services, { deliveryId }) {
    const { db, clock, mailer, origins, secrets } = services
    const delivery = await findDelivery(db, deliveryId)
    if (delivery?.state !== 'waiting' || delivery.address === null || delivery.held_at !== null) return
    if (!delivery.is_wanted) {
      await moveDelivery(db, delivery.id, 'cancel', clock.now())
      return
    }
    if ((await admitDelivery(services, delivery)) === 'held') return
    const { account_id: accountId, kind, title, body, url } = delivery
    const unsubscribeLink = unsubscribeUrl(origins.base, secrets, { accountId, kind }, delivery.address)
    const sent = mailer.send({
      ...notificationEmail(emailSender(services), {
        kind,
        title,
        body,
        readerName: delivery.reader_name,
        url: origins.base + url,
        unsubscribeUrl: unsubscribeLink,
      }),
      to: delivery.address,
      messageId: `notification-${delivery.id}`,
      // RFC 8058: mail programs show an unsubscribe button that works with one click.
      headers: { 'List-Unsubscribe': `<${unsubscribeLink}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    })
    const outcome = await sent.then(
      () => 'send' as const,
      (error) => {
        if (error instanceof MailRefused) return 'cancel' as const
        throw error
      },
    )
    await moveDelivery(db, delivery.id, outcome, clock.now())
  },
  async onLastFailure({ db, clock }, { deliveryId }) {
    await moveDelivery(db, deliveryId, 'cancel', clock.now())
  },
}
