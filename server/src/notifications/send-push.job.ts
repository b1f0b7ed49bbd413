import { z } from 'zod'
import { findDelivery, leaveOutDevice, moveDelivery, pushQueue } from './delivery-store.ts'
import type { Job } from './services.ts'
import { findSubscription, removeSubscription } from './subscription-store.ts'

const payload = z.object({ accountId: z.uuid(), deliveryId: z.uuid(), subscriptionId: z.uuid() })

/** One message to one device. Repeated after a crash it has the same topic, so that the device shows it once. */
export const sendPush: Job<typeof payload> = {
  name: 'send-push',
  payload,
  // Waits double: after about a quarter of an hour a push is no news any more.
  attempts: 9,
  // Anybody names the services of their devices, and they may be slow: of one account one waits, and only while nothing
  // else is due.
  lowPriority: true,
  queue: ({ accountId }) => pushQueue(accountId),
  async run({ db, clock, push }, device) {
    const { deliveryId, subscriptionId } = device
    const delivery = await findDelivery(db, deliveryId)
    if (!delivery || delivery.state === 'cancelled') return
    if (!delivery.is_wanted) {
      await moveDelivery(db, delivery.id, 'cancel', clock.now())
      return
    }
    const subscription = await findSubscription(db, subscriptionId)
    // The device may be somebody else's by now.
    if (subscription?.account_id !== delivery.account_id) return leaveOutDevice(db, device, clock.now())
    const { id, kind, title, body, url, post_id: postId, comment_id: commentId } = delivery
    const message = JSON.stringify({ id, kind, title, body, url, postId, commentId })
    const outcome = await push.send(subscription, message, { topic: id.replaceAll('-', '') })
    if (outcome === 'gone') await removeSubscription(db, subscription.id)
    if (outcome === 'sent') await moveDelivery(db, id, 'send', clock.now())
    else await leaveOutDevice(db, device, clock.now())
  },
  onLastFailure: ({ db, clock }, device) => leaveOutDevice(db, device, clock.now()),
}
