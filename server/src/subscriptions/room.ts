import type { subscriptionOperations, subscriptionPages } from '@pennypost/contract/subscription-operations'
import type { Room } from '../platform/room.ts'
import { deleteOldSubscriptions } from './delete-old-subscriptions.job.ts'
import { exportSubscribers } from './export-subscribers.ts'
import { getMailing } from './get-mailing.ts'
import { importSubscribers } from './import-subscribers.ts'
import { listSubscribers } from './list-subscribers.ts'
import { mailOnePost, mailPosts } from './mail-posts.job.ts'
import { removeSubscriber } from './remove-subscriber.ts'
import { reportBounce } from './report-bounce.ts'
import { sendSubscriptionConfirmation } from './send-subscription-confirmation.job.ts'
import type { SubscriptionServices } from './services.ts'
import { subscribe } from './subscribe.ts'
import {
  confirmSubscription,
  endSubscription,
  showSubscriptionConfirmation,
  showSubscriptionEnd,
} from './subscription-pages.ts'

export const subscriptionsRoom: Room<typeof subscriptionOperations & typeof subscriptionPages, SubscriptionServices> = {
  handlers: {
    subscribe,
    listSubscribers,
    exportSubscribers,
    importSubscribers,
    removeSubscriber,
    reportBounce,
    getMailing,
    showSubscriptionConfirmation,
    confirmSubscription,
    showSubscriptionEnd,
    endSubscription,
  },
  jobs: [sendSubscriptionConfirmation, mailPosts, mailOnePost, deleteOldSubscriptions],
}
