import {
  createWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  redeliverWebhook,
  replaceWebhookSecret,
  testWebhook,
  updateWebhook,
} from './webhooks.ts'

/** Webhooks and the log of what they were sent. */
export const webhookOperations = {
  listWebhooks,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  replaceWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  redeliverWebhook,
}
