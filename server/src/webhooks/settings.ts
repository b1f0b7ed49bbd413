import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { days } from '../platform/setting-values.ts'

export const webhookSettings = settingGroup(
  {
    // Attempts end after three days.
    KEEP_WEBHOOK_DELIVERIES_DAYS: setting(days(4), {
      default: '30',
      help: 'how long what was sent to webhooks is kept, for their log and for sending it again',
    }),
  },
  (values) => ({ keepWebhookDeliveriesDays: values.KEEP_WEBHOOK_DELIVERIES_DAYS }),
)

export type WebhookConfig = ConfigOf<typeof webhookSettings>
