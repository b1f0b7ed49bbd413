import { type updateWebhook as declared, webhookNotFound } from '@pennypost/contract/webhooks'
import { refuse } from '../platform/http/refuse.ts'
import { requirePublicUrl } from './require-public-url.ts'
import type { Handler } from './services.ts'
import { changeOwnWebhook, findOwnWebhook } from './webhook-store.ts'
import { webhookView } from './webhook-view.ts'

export const updateWebhook: Handler<typeof declared> = async (services, { caller, params, body }) => {
  const { db } = services
  const { status, ...change } = body
  if (!(await findOwnWebhook(db, caller.accountId, params.webhookId))) refuse(webhookNotFound)
  if (change.url !== undefined) await requirePublicUrl(services, change.url)
  const switched =
    status === 'enabled'
      ? { disabled_reason: null, failing_since: null, paused_until: null }
      : status === 'disabled' && { disabled_reason: 'owner' as const }
  const row = await changeOwnWebhook(db, caller.accountId, params.webhookId, { ...change, ...switched })
  return { status: 200, body: webhookView(row ?? refuse(webhookNotFound)) }
}
