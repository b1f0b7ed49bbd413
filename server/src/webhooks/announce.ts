import type { WebhookEventType } from '@pennypost/contract/webhooks'
import type { ServiceClock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueueMany } from '../platform/jobs/job.ts'
import { deliverWebhook } from './deliver-webhook.job.ts'
import { insertDeliveries } from './delivery-store.ts'

export interface WebhookEvent {
  /** Whose webhooks are called. */
  readonly accountId: string
  readonly type: WebhookEventType
  /** Identifies the event, such as `sale:<id>`. No webhook is called twice for one event. */
  readonly origin: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Calls the account's webhooks about an event, once the transaction is committed.
 * @example await announce(tx, services, { accountId, type: 'sale.created', origin: `sale:${id}`, data })
 */
export async function announce(tx: Tx, { clock }: { clock: ServiceClock }, event: WebhookEvent): Promise<void> {
  const { accountId, type, origin, data } = event
  const now = clock.now()
  const due = await insertDeliveries(tx, { accountId, type, origin, body: webhookBody(type, now, data), now })
  const deliveries = due.map(({ id }) => ({ accountId, deliveryId: id }))
  if (deliveries.length > 0) await enqueueMany(tx, clock, deliverWebhook, deliveries)
}

export const webhookBody = (type: string, now: Date, data: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ type, timestamp: now.toISOString(), data })
