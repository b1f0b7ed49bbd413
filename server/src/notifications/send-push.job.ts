import { z } from 'zod'
import { admitDelivery } from './admit-delivery.ts'
import { findDelivery, giveUpOnDevice, moveDelivery, pushQueue } from './delivery-store.ts'
import type { Job } from './services.ts'
import { findSubscription, removeSubscription } from './subscription-store.ts'

const payload = z.object({ accountId: z.uuid(), deliveryId: z.uuid(), subscriptionId: z.uuid() })

/** Sends one message to one device. A retry after a crash has the same topic, so that the device shows it once. */
export const sendPush: Job<typeof payload> = {
  name: 'send-push',
  payload,
  // The delay doubles each time. After about 15 minutes a push is too old to be useful.
  attempts: 9,
  share: 'deliveries',
  // Users choose the push service, and it may be slow. So each account sends one push at a time, and only while nothing
  // else is due.
  lowPriority: true,
  queue: ({ accountId }) => pushQueue(accountId),
  async run(services, device) {
    const { db, clock, push } = services
    const { deliveryId, subscriptionId } = device
    const delivery = await findDelivery(db, deliveryId)
    if (!delivery || delivery.state === 'cancelled') return
    if (!delivery.is_wanted) {
      await moveDelivery(db, delivery.id, 'cancel', clock.now())
      return
    }
    if ((await admitDelivery(services, delivery)) === 'held') {
      await moveDelivery(db, delivery.id, 'cancel', clock.now())
      return
    }
    const subscription = await findSubscription(db, subscriptionId)
    // Another account may have signed in on this device since.
    if (subscription?.account_id !== delivery.account_id) return giveUpOnDevice(db, device, clock.now())
    const { id, kind, title, body, url, post_id: postId, comment_id: commentId } = delivery
    const message = JSON.stringify({ id, kind, title, body, url, postId, commentId })
    const outcome = await push.send(subscription, message, { topic: id.replaceAll('-', '') })
    if (outcome === 'gone') await removeSubscription(db, subscription.id)
    if (outcome === 'sent') await moveDelivery(db, id, 'send', clock.now())
    else await giveUpOnDevice(db, device, clock.now())
  },
  onLastFailure: ({ db, clock }, device) => giveUpOnDevice(db, device, clock.now()),
}
