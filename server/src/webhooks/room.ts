import type { webhookOperations } from '@pennypost/contract/webhook-operations'
import type { Room } from '../platform/room.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteOldWebhookDeliveries } from './delete-old-webhook-deliveries.job.ts'
import { deliverWebhook } from './deliver-webhook.job.ts'
import { listWebhookDeliveries } from './list-webhook-deliveries.ts'
import { deleteWebhook, listWebhooks, replaceWebhookSecret } from './own-webhooks.ts'
import { redeliverWebhook, testWebhook } from './send-to-webhook.ts'
import type { WebhookServices } from './services.ts'
import { updateWebhook } from './update-webhook.ts'

export const webhooksRoom: Room<typeof webhookOperations, WebhookServices> = {
  handlers: {
    listWebhooks,
    createWebhook,
    updateWebhook,
    deleteWebhook,
    replaceWebhookSecret,
    testWebhook,
    listWebhookDeliveries,
    redeliverWebhook,
  },
  jobs: [deliverWebhook, deleteOldWebhookDeliveries],
}
