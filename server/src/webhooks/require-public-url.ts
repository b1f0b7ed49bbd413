import { webhookUrlRefused } from '@pennypost/contract/webhooks'
import { refuse } from '../platform/http/refuse.ts'
import { isCallableHost } from '../platform/outgoing/public-address.ts'
import type { WebhookServices } from './services.ts'

const firstOpenPort = 1024

/**
 * Refuses a URL that we may not call. A name that cannot be resolved right now is accepted: it is checked again before every
 * request. Ports below 1024 belong to other protocols than HTTPS.
 */
export async function requirePublicUrl({ config }: Pick<WebhookServices, 'config'>, url: string): Promise<void> {
  const { hostname, port, protocol } = new URL(url)
  const allowLoopback = config.environment === 'development'
  if (!allowLoopback && (protocol !== 'https:' || (port !== '' && Number(port) < firstOpenPort)))
    refuse(webhookUrlRefused)
  if (!(await isCallableHost(hostname, { allowLoopback }))) refuse(webhookUrlRefused)
}
