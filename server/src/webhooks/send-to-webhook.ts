import {
  type redeliverWebhook as declaredAgain,
  type testWebhook as declaredTest,
  webhookDeliveryNotFound,
  webhookDisabled,
  webhookNotFound,
} from '@pennypost/contract/webhooks'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { webhookBody } from './announce.ts'
import { deliverWebhook, deliveryKey } from './deliver-webhook.job.ts'
import { beginAgain, insertTestDelivery } from './delivery-store.ts'
import type { Handler } from './services.ts'
import { endPause, lockOwnWebhook, type WebhookRow } from './webhook-store.ts'

export const testWebhook: Handler<typeof declaredTest> = async ({ db, clock }, { caller, params }) => {
  const now = clock.now()
  const deliveryId = await db.transaction().execute(async (tx) => {
    const webhook = await lockEnabled(tx, caller.accountId, params.webhookId)
    await endPause(tx, webhook.id)
    const body = webhookBody('webhook.test', now, { webhookId: webhook.id })
    const id = await insertTestDelivery(tx, webhook.id, body, now)
    await enqueue(tx, clock, deliverWebhook, { accountId: caller.accountId, deliveryId: id }, { key: deliveryKey(id) })
    return id
  })
  return { status: 202, body: { deliveryId } }
}

export const redeliverWebhook: Handler<typeof declaredAgain> = async ({ db, clock }, { caller, params }) => {
  const { deliveryId } = params
  await db.transaction().execute(async (tx) => {
    const webhook = await lockEnabled(tx, caller.accountId, params.webhookId)
    if (!(await beginAgain(tx, webhook.id, deliveryId, clock.now()))) refuse(webhookDeliveryNotFound)
    await endPause(tx, webhook.id)
    const job = { accountId: caller.accountId, deliveryId }
    await enqueue(tx, clock, deliverWebhook, job, { key: deliveryKey(deliveryId) })
  })
  return { status: 202, body: { deliveryId } }
}

/** It cannot be deleted before the transaction ends, so that its delivery has a webhook. */
async function lockEnabled(tx: Tx, accountId: string, id: string): Promise<WebhookRow> {
  const webhook = (await lockOwnWebhook(tx, accountId, id)) ?? refuse(webhookNotFound)
  if (webhook.disabled_reason !== null) refuse(webhookDisabled)
  return webhook
}
