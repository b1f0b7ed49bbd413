import { messageLimits, type NotificationKind } from '@pennypost/contract/notification-preferences'
import { sql } from 'kysely'
import { adjustedLimit } from '../platform/limits/adjusted-limits.ts'
import { type Delivery, lockMessages } from './delivery-store.ts'
import { scheduleDigest } from './send-notification-digest.job.ts'
import type { NotificationServices } from './services.ts'

/** Other people cannot cause these, so no limit applies to them. */
const exemptKinds: readonly NotificationKind[] = ['account_issue', 'summary']

/**
 * Counts a message against the hourly limits of its recipient, in total and per sender. Beyond a limit, an email waits for
 * the next digest and the caller cancels a push. A retry of a counted message does not count again.
 */
export async function admitDelivery(
  { db, clock, config }: NotificationServices,
  delivery: Delivery,
): Promise<'admitted' | 'held'> {
  if (delivery.counted_at !== null || exemptKinds.includes(delivery.kind)) return 'admitted'
  const now = clock.now()
  return db.transaction().execute(async (tx) => {
    await lockMessages(tx, delivery.account_id)
    const all = adjustedLimit(messageLimits.all, config.limits)
    const ofSender = adjustedLimit(messageLimits.ofSender, config.limits)
    const { rows } = await sql<{ total: number; of_sender: number }>`
      SELECT count(*) FILTER (WHERE counted_at > ${before(now, all.seconds)})::int AS total,
        count(*) FILTER (WHERE actor_id = ${delivery.actor_id} AND counted_at > ${before(now, ofSender.seconds)})::int
          AS of_sender
      FROM notification_deliveries
      WHERE account_id = ${delivery.account_id} AND channel = ${delivery.channel}
        AND counted_at > ${before(now, Math.max(all.seconds, ofSender.seconds))}`.execute(tx)
    const { total, of_sender } = rows[0]!
    const hasRoom = total < all.max && of_sender < ofSender.max
    if (!hasRoom && delivery.channel === 'email') await scheduleDigest(tx, clock, delivery.account_id)
    await tx
      .updateTable('notification_deliveries')
      .set(hasRoom ? { counted_at: now } : { held_at: now })
      .where('id', '=', delivery.id)
      .execute()
    return hasRoom ? 'admitted' : 'held'
  })
}

const before = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000)
