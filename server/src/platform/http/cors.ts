import type { Endpoint } from '@pennypost/contract/endpoint'
import { forbiddenHeader } from '@pennypost/contract/forbidden-header'

/** The headers that scripts on other origins may send and read. */
export interface CorsHeaders {
  readonly allowed: string
  readonly exposed: string
}

// Browsers set these themselves, or let scripts send them without asking.
const setByBrowser = new Set(['accept', 'accept-encoding', 'content-length', 'cookie', 'origin'])

/** Derives the lists from the headers that the endpoints declare, so that a new header needs no second list. */
export function corsHeaders(endpoints: readonly Endpoint[]): CorsHeaders {
  const requestHeaders = endpoints.flatMap(({ request, idempotency }) => [
    ...Object.entries(request?.headers?.shape ?? {})
      .filter(([, schema]) => schema !== forbiddenHeader)
      .map(([name]) => name),
    ...(idempotency ? ['idempotency-key'] : []),
  ])
  const replyHeaders = endpoints.flatMap(({ replyHeaders, conditional }) => [
    ...Object.keys(replyHeaders ?? {}).map((name) => name.toLowerCase()),
    ...(conditional ? ['etag'] : []),
  ])
  const allowed = new Set([
    'authorization',
    'content-type',
    ...requestHeaders.filter((name) => !setByBrowser.has(name)),
    // Meant for replies, but common x402 clients send it with the payment.
    'access-control-expose-headers',
  ])
  const exposed = new Set(['x-request-id', 'retry-after', ...replyHeaders])
  return { allowed: [...allowed].join(', '), exposed: [...exposed].join(', ') }
}
