import { isIP } from 'node:net'
import { limitsByName } from '@pennypost/contract/contract'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { StartError } from '../data-dir.ts'
import type { AdjustedLimits } from '../limits/adjusted-limits.ts'
import { type ConfigOf, setting, settingGroup } from '../setting.ts'
import { list, origin, refuseRepeated, wholeNumber } from '../setting-values.ts'

/** `isIP`, because the library takes `10.0.0` for an address too: a proxy that is mistyped like this would not be trusted. */
const isProxy = (part: string): boolean =>
  ['loopback', 'linklocal', 'uniquelocal'].includes(part) ||
  isIP(part) !== 0 ||
  (ipaddr.isValidCIDR(part) && isIP(part.split('/', 1)[0]!) !== 0)

const isHost = (text: string): boolean => isIP(text) !== 0 || /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/.test(text)

/** `name=max/seconds`, separated by commas. */
const adjustedLimits = z.string().transform((text, context): AdjustedLimits => {
  const adjusted = text.split(',').map((part) => {
    const [, name = '', max, seconds] = /^\s*([a-z0-9-]+)=([1-9]\d{0,6})\/([1-9]\d{0,5})\s*$/.exec(part) ?? []
    if (max === undefined)
      context.addIssue({ code: 'custom', message: 'must look like searches=600/60,comments=20/60' })
    else if (!limitsByName.has(name)) context.addIssue({ code: 'custom', message: `there is no limit ${name}` })
    return [name, { max: Number(max), seconds: Number(seconds) }] as const
  })
  refuseRepeated(
    adjusted.map(([name]) => name),
    context,
  )
  return new Map(adjusted)
})

export const httpSettings = settingGroup(
  {
    HOST: setting(z.string().refine(isHost, 'must be an address or the name of this machine, like 127.0.0.1'), {
      default: '127.0.0.1',
      help: 'the address that the service listens on',
    }),
    PORT: setting(wholeNumber('must be a port', { min: 0, max: 65535 }), {
      default: '3000',
      help: 'the port that the service listens on. `0` takes a free one',
    }),
    BASE_URL: setting(origin, {
      unset: '`http://localhost:PORT`',
      help: 'the public origin. Links and the `type` of refusals start with it. Access tokens name it as their issuer, so after a change every session has to refresh',
      production: 'required',
    }),
    ALT_BASE_URL: setting(origin, {
      unset: 'none',
      help: 'a second origin for the same routes',
    }),
    TRUST_PROXY: setting(
      list(z.string().refine(isProxy, 'must list addresses, ranges, loopback, linklocal or uniquelocal')),
      {
        unset: '`loopback`; none in production',
        help: 'proxies whose `X-Forwarded-For` is trusted: addresses, networks, `loopback`, `linklocal`, `uniquelocal`',
      },
    ),
    CONNECTIONS_PER_ADDRESS: setting(wholeNumber('must be a number of connections', { min: 1, max: 1e9 }), {
      default: '500',
      help: 'how many connections one IP address (IPv6: /64) may have open in a process; further ones are closed. A classroom of 60 behind one address opens at most 360. Proxies in `TRUST_PROXY` are exempt',
    }),
    LIMITS: setting(adjustedLimits, {
      unset: 'none',
      help: 'other figures for [rate limits](#rate-limits): `searches=600/60,logins=100/3600` allows 600 searches in 60 seconds and 100 logins in an hour',
    }),
    METRICS_TOKEN: setting(z.string().regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 visible ASCII characters'), {
      unset: 'none: this machine only',
      help: 'bearer token for `/metrics`. Without it, only requests from the same machine that no proxy forwarded (no `X-Forwarded-For`) are answered',
    }),
  },
  (values, isProduction) => {
    if (values.ALT_BASE_URL && values.ALT_BASE_URL === values.BASE_URL)
      throw new StartError('ALT_BASE_URL: is the same as BASE_URL')
    return {
      host: values.HOST,
      port: values.PORT,
      baseUrl: values.BASE_URL,
      altBaseUrl: values.ALT_BASE_URL,
      trustProxy: values.TRUST_PROXY ?? (isProduction ? [] : ['loopback']),
      connectionsPerAddress: values.CONNECTIONS_PER_ADDRESS,
      limits: values.LIMITS ?? new Map(),
      metricsToken: values.METRICS_TOKEN,
    }
  },
)

export type HttpConfig = ConfigOf<typeof httpSettings>
