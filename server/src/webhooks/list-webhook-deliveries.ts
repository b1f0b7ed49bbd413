import { type listWebhookDeliveries as declared, webhookNotFound } from '@pennypost/contract/webhooks'
import { pageOf, readCursor, TimePosition } from '../platform/cursor.ts'
import { refuse } from '../platform/http/refuse.ts'
import { listDeliveryRows } from './delivery-store.ts'
import type { Handler } from './services.ts'
import { findOwnWebhook } from './webhook-store.ts'

export const listWebhookDeliveries: Handler<typeof declared> = async ({ db }, { caller, params, query }) => {
  const before = query.cursor === undefined ? undefined : readCursor(TimePosition, query.cursor)
  const webhook = (await findOwnWebhook(db, caller.accountId, params.webhookId)) ?? refuse(webhookNotFound)
  const found = await listDeliveryRows(db, webhook.id, before, query.limit + 1)
  const { rows, pagination } = pageOf(found, query.limit, (last) => [last.created_at.toISOString(), last.id])
  const deliveries = rows.map((row) => ({
    id: row.id,
    type: row.type,
    status: row.state,
    attempts: row.attempts,
    responseStatus: row.response_status,
    error: row.error,
    createdAt: row.created_at.toISOString(),
    lastAttemptAt: row.last_attempt_at?.toISOString() ?? null,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
  }))
  return { status: 200, body: { deliveries, pagination } }
}
