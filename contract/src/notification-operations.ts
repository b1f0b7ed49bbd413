import { getNotificationPreferences, updateNotificationPreferences } from './notification-preferences.ts'
import {
  getPostMute,
  listNotifications,
  markAllRead,
  markContextRead,
  markNotificationsRead,
  updatePostMute,
} from './notifications.ts'
import { addPushSubscription, getPushKey, removePushSubscription } from './push.ts'
import { showUnsubscribe, unsubscribe } from './unsubscribe.ts'

/** Notifications, their preferences, muted posts and push subscriptions. */
export const notificationOperations = {
  listNotifications,
  markNotificationsRead,
  markContextRead,
  markAllRead,
  getNotificationPreferences,
  updateNotificationPreferences,
  getPostMute,
  updatePostMute,
  getPushKey,
  addPushSubscription,
  removePushSubscription,
}

/** The page behind the unsubscribe link in an email. */
export const notificationPages = {
  showUnsubscribe,
  unsubscribe,
}
