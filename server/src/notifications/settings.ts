import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { days } from '../platform/setting-values.ts'

export const notificationSettings = settingGroup(
  {
    KEEP_NOTIFICATIONS_DAYS: setting(days(30), {
      unset: 'none: forever',
      help: 'how long notifications stay in the feed, read or not. New followers stay, so that someone who follows again is not announced again',
    }),
    KEEP_DELIVERIES_DAYS: setting(days(1), {
      default: '30',
      help: 'how long emails and pushes about notifications are kept after they were sent or cancelled',
    }),
  },
  (values) => ({
    keepNotificationsDays: values.KEEP_NOTIFICATIONS_DAYS,
    keepDeliveriesDays: values.KEEP_DELIVERIES_DAYS,
  }),
)

export type NotificationConfig = ConfigOf<typeof notificationSettings>
