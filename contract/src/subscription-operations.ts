import { getMailing } from './mailings.ts'
import {
  confirmSubscription,
  endSubscription,
  exportSubscribers,
  importSubscribers,
  listSubscribers,
  removeSubscriber,
  reportBounce,
  showSubscriptionConfirmation,
  showSubscriptionEnd,
  subscribe,
} from './subscribers.ts'

/** Getting new posts by email, and a creator's list of subscribers. */
export const subscriptionOperations = {
  subscribe,
  listSubscribers,
  exportSubscribers,
  importSubscribers,
  removeSubscriber,
  reportBounce,
  getMailing,
}

/** The pages behind the links in emails to subscribers. */
export const subscriptionPages = {
  showSubscriptionConfirmation,
  confirmSubscription,
  showSubscriptionEnd,
  endSubscription,
}
