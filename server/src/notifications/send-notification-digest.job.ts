import { notificationKinds } from '@pennypost/contract/notification-preferences'
import { z } from 'zod'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { emailSender } from '../platform/mail/email-sender.ts'
import { MailRefused } from '../platform/mail/mail.ts'
import { type Delivery, hasHeldEmails, listHeldEmails, lockMessages, moveDeliveries } from './delivery-store.ts'
import { digestEmail } from './notification-email.ts'
import type { Job, NotificationServices } from './services.ts'
import { unsubscribeUrl } from './unsubscribe-token.ts'

const payload = z.object({ accountId: z.uuid() })
const digestDelayMs = 3_600_000

/** Sends one email about all the notifications that exceeded the limit of the last hour. */
export const sendNotificationDigest: Job<typeof payload> = {
  name: 'send-notification-digest',
  payload,
  attempts: 12,
  share: 'deliveries',
  lowPriority: true,
  async run(services, { accountId }) {
    const held = await listHeldEmails(services.db, accountId)
    const wanted = held.filter((delivery) => delivery.is_wanted)
    const isSent = wanted.length > 0 && (await sendDigest(services, wanted))
    if (isSent) await moveDeliveries(services.db, wanted, 'send', services.clock.now())
    await cancelRest(services, accountId, held)
  },
  async onLastFailure(services, { accountId }) {
    await cancelRest(services, accountId, await listHeldEmails(services.db, accountId))
  },
}

/** Enqueues the next digest, unless emails already wait for one. Call it before the email is held. */
export async function scheduleDigest(tx: Tx, clock: Clock, accountId: string): Promise<void> {
  if (!(await hasHeldEmails(tx, accountId))) await enqueueDigest(tx, clock, accountId)
}

const enqueueDigest = (tx: Tx, clock: Clock, accountId: string): Promise<void> =>
  enqueue(
    tx,
    clock,
    sendNotificationDigest,
    { accountId },
    { runAt: new Date(clock.now().getTime() + digestDelayMs), key: `notification-digest:${accountId}` },
  )

/** Returns false if the mail server refuses it for good. A repeated digest has the same Message-ID. */
async function sendDigest(services: NotificationServices, held: Delivery[]): Promise<boolean> {
  const { mailer, origins, secrets } = services
  const [{ id, account_id: accountId, reader_name: readerName, address }] = held as [Delivery]
  const counts = notificationKinds
    .map((kind) => ({ kind, count: held.filter((delivery) => delivery.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
  // An unsubscribe link covers one kind or all kinds, so this one covers the most frequent kind.
  const unsubscribeLink = unsubscribeUrl(origins.base, secrets, { accountId, kind: counts[0]!.kind }, address!)
  try {
    await mailer.send({
      ...digestEmail(emailSender(services), {
        counts,
        readerName,
        url: `${origins.base}/notifications`,
        unsubscribeUrl: unsubscribeLink,
      }),
      to: address!,
      messageId: `notification-digest-${id}`,
      headers: { 'List-Unsubscribe': `<${unsubscribeLink}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    })
    return true
  } catch (error) {
    if (error instanceof MailRefused) return false
    throw error
  }
}

/** Cancels what the digest left out, and schedules another digest for emails that arrived meanwhile. */
async function cancelRest(
  { db, clock }: NotificationServices,
  accountId: string,
  held: readonly Delivery[],
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockMessages(tx, accountId)
    await moveDeliveries(tx, held, 'cancel', clock.now())
    // Those emails found others waiting, so they scheduled no digest themselves.
    if (await hasHeldEmails(tx, accountId)) await enqueueDigest(tx, clock, accountId)
  })
}
