import { setTimeout as wait } from 'node:timers/promises'
import { webhookUrlRefused } from '@pennypost/contract/webhooks'
import { refuse } from '../platform/http/refuse.ts'
import { ForbiddenAddress, resolvePublicAddress } from '../platform/push/public-address.ts'
import type { WebhookServices } from './services.ts'

const lookupTimeoutMs = 2_000
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
  const isForbidden = resolvePublicAddress(hostname, { allowLoopback }).then(
    () => false,
    (error) => error instanceof ForbiddenAddress,
  )
  if (await Promise.race([isForbidden, wait(lookupTimeoutMs, false, { ref: false })])) refuse(webhookUrlRefused)
}
