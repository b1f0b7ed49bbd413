import { createHmac } from 'node:crypto'
import type { Secrets } from '../platform/secrets.ts'
import type { WebhookRow } from './webhook-store.ts'

const prefix = 'whsec_'

/** The secret of a webhook, as Standard Webhooks writes it. It is derived, so it is stored nowhere. */
export const webhookSecret = (secrets: Secrets, { id, secret_version }: Pick<WebhookRow, 'id' | 'secret_version'>) =>
  prefix + keyOf(secrets, id, secret_version).toString('base64')

const keyOf = (secrets: Secrets, id: string, version: number): Buffer =>
  createHmac('sha256', secrets.key('webhook')).update(`${id} ${version}`).digest()

type Signer = Pick<WebhookRow, 'id' | 'secret_version' | 'previous_secret_until'>

/** The headers of a request by Standard Webhooks. A secret that was replaced a short time ago signs too. */
export function signedHeaders(secrets: Secrets, webhook: Signer, message: { id: string; body: string }, now: Date) {
  const timestamp = Math.floor(now.getTime() / 1000)
  const isChanging = webhook.previous_secret_until !== null && webhook.previous_secret_until > now
  const versions = isChanging ? [webhook.secret_version, webhook.secret_version - 1] : [webhook.secret_version]
  const signatures = versions.map((version) => {
    const signed = `${message.id}.${timestamp}.${message.body}`
    return `v1,${createHmac('sha256', keyOf(secrets, webhook.id, version))
      .update(signed)
      .digest('base64')}`
  })
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
