import type { notificationOperations, notificationPages } from '@pennypost/contract/notification-operations'
import type { Room } from '../platform/room.ts'
import { addPushSubscription } from './add-push-subscription.ts'
import { deleteOldDeliveries } from './delete-old-deliveries.job.ts'
import { deleteOldNotifications } from './delete-old-notifications.job.ts'
import { getNotificationPreferences } from './get-notification-preferences.ts'
import { getPostMute } from './get-post-mute.ts'
import { getPushKey } from './get-push-key.ts'
import { listNotifications } from './list-notifications.ts'
import { markAllRead } from './mark-all-read.ts'
import { markContextRead } from './mark-context-read.ts'
import { markNotificationsRead } from './mark-notifications-read.ts'
import { removePushSubscription } from './remove-push-subscription.ts'
import { sendNotificationDigest } from './send-notification-digest.job.ts'
import { sendNotificationEmail } from './send-notification-email.job.ts'
import { sendPush } from './send-push.job.ts'
import type { NotificationServices } from './services.ts'
import { showUnsubscribe, unsubscribe } from './unsubscribe.ts'
import { updateNotificationPreferences } from './update-notification-preferences.ts'
import { updatePostMute } from './update-post-mute.ts'
import { updateReadNotifications } from './update-read-notifications.job.ts'
import { writeSummaries } from './write-summaries.job.ts'

export const notificationsRoom: Room<typeof notificationOperations & typeof notificationPages, NotificationServices> = {
  handlers: {
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
    showUnsubscribe,
    unsubscribe,
  },
  jobs: [
    sendNotificationEmail,
    sendNotificationDigest,
    sendPush,
    updateReadNotifications,
    writeSummaries,
    deleteOldDeliveries,
    deleteOldNotifications,
  ],
}
