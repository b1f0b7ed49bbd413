import type { Webhook } from '@pennypost/contract/webhooks'
import type { WebhookRow } from './webhook-store.ts'

export const webhookView = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  events: row.events,
  description: row.description,
  status: row.disabled_reason === null ? 'enabled' : 'disabled',
  disabledReason: row.disabled_reason,
  failingSince: row.failing_since?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
})
