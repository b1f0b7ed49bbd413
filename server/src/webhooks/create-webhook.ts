import { type createWebhook as declared, maxWebhooks, webhookLimit } from '@pennypost/contract/webhooks'
import { refuse } from '../platform/http/refuse.ts'
import { requirePublicUrl } from './require-public-url.ts'
import type { Handler } from './services.ts'
import { webhookSecret } from './webhook-secret.ts'
import { insertWebhook } from './webhook-store.ts'
import { webhookView } from './webhook-view.ts'

export const createWebhook: Handler<typeof declared> = async (services, { caller, body }) => {
  const { db, clock, secrets } = services
  await requirePublicUrl(services, body.url)
  const webhook = {
    account_id: caller.accountId,
    url: body.url,
    events: body.events,
    description: body.description ?? null,
    created_at: clock.now(),
  }
  const row = (await db.transaction().execute((tx) => insertWebhook(tx, webhook, maxWebhooks))) ?? refuse(webhookLimit)
  return { status: 201, body: { webhook: webhookView(row), secret: webhookSecret(secrets, row) } }
}
