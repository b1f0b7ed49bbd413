import { createHash, timingSafeEqual } from 'node:crypto'
import { unauthorized } from '@pennypost/contract/errors'
import { type getMetrics as declared, metricsForbidden } from '@pennypost/contract/platform-operations'
import ipaddr from 'ipaddr.js'
import type { Handler } from '../http/handler.ts'
import { refuse } from '../http/refuse.ts'
import type { HttpConfig } from '../http/settings.ts'
import type { Metrics } from '../metrics.ts'

interface Parts {
  readonly config: Pick<HttpConfig, 'metricsToken'>
  readonly metrics: Metrics
}

export const getMetrics: Handler<typeof declared, Parts> = async (
  { config: { metricsToken }, metrics },
  { headers, ip },
) => {
  const reader = { authorization: headers.authorization, ip, forwardedFor: headers['x-forwarded-for'] }
  if (!mayReadMetrics(metricsToken, reader)) refuse(metricsToken === undefined ? metricsForbidden : unauthorized)
  const body = await metrics.text()
  // With it, an operator sees through a proxy whether the proxy says who its clients are.
  return { status: 200, body, headers: { 'x-client-address': ip } }
}

interface Reader {
  readonly authorization: string | undefined
  readonly ip: string
  readonly forwardedFor: unknown
}

/** If a token is set, requests with it. Otherwise, requests from this machine that no proxy forwarded. */
export const mayReadMetrics = (token: string | undefined, { authorization, ip, forwardedFor }: Reader): boolean =>
  token === undefined ? isLocal(ip) && forwardedFor === undefined : isSame(authorization ?? '', `Bearer ${token}`)

const isSame = (given: string, expected: string): boolean => timingSafeEqual(sha256(given), sha256(expected))
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

const isLocal = (ip: string): boolean => ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback'
