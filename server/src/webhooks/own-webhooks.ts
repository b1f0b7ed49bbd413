import {
  type deleteWebhook as declaredDelete,
  type listWebhooks as declaredList,
  type replaceWebhookSecret as declaredSecret,
  webhookNotFound,
} from '@pennypost/contract/webhooks'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'
import { webhookSecret } from './webhook-secret.ts'
import { deleteOwnWebhook, listOwnWebhooks, replaceOwnSecret } from './webhook-store.ts'
import { webhookView } from './webhook-view.ts'

const dayMs = 24 * 3_600_000

export const listWebhooks: Handler<typeof declaredList> = async ({ db }, { caller }) => ({
  status: 200,
  body: { webhooks: (await listOwnWebhooks(db, caller.accountId)).map(webhookView) },
})

export const deleteWebhook: Handler<typeof declaredDelete> = async ({ db }, { caller, params }) => {
  if (!(await deleteOwnWebhook(db, caller.accountId, params.webhookId))) refuse(webhookNotFound)
  return { status: 200, body: { deleted: true } }
}

export const replaceWebhookSecret: Handler<typeof declaredSecret> = async (services, { caller, params }) => {
  const { db, clock, secrets } = services
  const until = new Date(clock.now().getTime() + dayMs)
  const row = (await replaceOwnSecret(db, caller.accountId, params.webhookId, until)) ?? refuse(webhookNotFound)
  return { status: 200, body: { webhook: webhookView(row), secret: webhookSecret(secrets, row) } }
}
