import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import type { Check, Report } from './check.ts'
import { getText } from './get-text.ts'

const Readiness = z.object({
  status: z.string().max(100),
  missing: z.array(z.string().max(100)).max(50).optional(),
  degraded: z.array(z.string().max(100)).max(50).optional(),
})

/** An address that belongs to nobody. A proxy that passes on what a client claims would have us believe it. */
const claimedAddress = '192.0.2.77'

/** The service as readers reach it: through the name, TLS and the proxy. */
export const checkPublicUrl = (config: Config, wasStarted: () => Promise<boolean>): Check => ({
  area: 'public URL',
  timeoutMs: 15_000,
  advice: 'Check the DNS, the certificate, the proxy, and whether the service is running.',
  async run(report, signal) {
    const base = config.baseUrl ?? `http://localhost:${config.port}`
    const reply = await getText(`${base}/readyz`, { signal }).catch(async (error: unknown) => {
      if (!isRefused(error) || (await wasStarted())) throw error
    })
    // Before the first start nothing can respond except a proxy.
    if (!reply || (reply.status >= 500 && !(await wasStarted())))
      return report.skip(`nothing responds at ${base} yet: start the service and run this again`)
    const { status, text } = reply
    if (status >= 300 && status < 400)
      return report.wrong(`${base} redirects (${status})`, 'Set BASE_URL to the address that it leads to.')
    const found = Readiness.safeParse(parseJson(text))
    if (!found.success)
      return report.wrong(
        `what responds at ${base} is not Pennypost (status ${status})`,
        'Look at the proxy: does it pass requests on to HOST and PORT?',
      )
    const { missing = [], degraded = [] } = found.data
    if (status !== 200)
      report.wrong(`${base} is not ready: ${missing.join(', ')}`, 'See the other findings and the log of the service.')
    else if (degraded.length > 0)
      report.warn(`${base} is ready, but degraded: ${degraded.join(', ')}`, 'See the other findings.')
    else report.ok(`${base} is ready`)
    if (config.environment === 'production') await reportClientAddress(report, base, config, signal)
  },
})

/** Whether the proxy says who the client is. `/metrics` is the one route that shows it, and only to those who may see it. */
async function reportClientAddress(report: Report, base: string, config: Config, signal: AbortSignal): Promise<void> {
  const { metricsToken } = config
  const headers: Record<string, string> = { 'x-forwarded-for': claimedAddress }
  const advice = 'Have the proxy set X-Forwarded-For, and list the proxy in TRUST_PROXY: see docs/operations.md.'
  if (metricsToken === undefined) {
    // Without a proxy, too, this machine may read the metrics.
    if (isLoopback(new URL(base).hostname))
      return report.skip(`${base} is this machine: nothing can be said about a proxy`)
    // Without our own header: if the proxy adds none, the request looks as if it came from this machine.
    const { status } = await getText(`${base}/metrics`, { signal })
    if (status === 200) report.wrong('the proxy does not set X-Forwarded-For, and /metrics is public', advice)
    else report.ok('the proxy sets X-Forwarded-For, or is on another machine; set METRICS_TOKEN to see more')
    return
  }
  const reply = await getText(`${base}/metrics`, {
    headers: { ...headers, authorization: `Bearer ${metricsToken}` },
    signal,
  })
  const seen = reply.headers.get('x-client-address')
  if (reply.status !== 200 || seen === null || !ipaddr.isValid(seen))
    return report.skip(`${base}/metrics does not show the address of the client (status ${reply.status})`)
  const range = ipaddr.process(seen).range()
  if (seen === claimedAddress)
    report.wrong(
      'a client can choose its own address: the proxy passes on X-Forwarded-For as it comes',
      'Have the proxy replace or extend the header, and keep TRUST_PROXY as small as possible.',
    )
  else if (range !== 'unicast')
    report.warn(`the service sees this request come from ${seen} (${range})`, `If that is the proxy: ${advice}`)
  else report.ok(`the service sees this request come from ${seen}`)
}

function isLoopback(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  return hostname === 'localhost' || (ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback')
}

/** Nobody listens there. A wrong name or certificate is wrong before the first start too. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED'

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
