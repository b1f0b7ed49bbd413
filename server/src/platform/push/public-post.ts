import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { resolvePublicAddress } from './public-address.ts'

export interface PublicPost {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** For the whole request, including the name lookup. */
  readonly timeoutMs: number
  /** In development: hosts on this machine are allowed, too. */
  readonly allowLoopback: boolean
  /** An additional certificate authority to trust. */
  readonly certificate?: string | undefined
}

/**
 * Posts to a host on the public internet and returns the status: to the address that was checked, with the original host
 * name. Redirects are not followed, and the reply's body is not read.
 */
export async function postToPublicHost(url: string, options: PublicPost): Promise<number> {
  const { headers, body, certificate, allowLoopback } = options
  const { protocol, hostname, host, port, pathname, search } = new URL(url)
  const signal = AbortSignal.timeout(options.timeoutMs)
  const address = await before(signal, resolvePublicAddress(hostname, { allowLoopback }))
  const isSecure = protocol === 'https:'
  return new Promise((resolve, reject) => {
    const sent = (isSecure ? requestHttps : requestHttp)(
      {
        host: address,
        port: port === '' ? (isSecure ? 443 : 80) : Number(port),
        path: pathname + search,
        method: 'POST',
        headers: { ...headers, host },
        // For an IP address, the certificate is checked against the address.
        ...(isIP(hostname) === 0 && !hostname.startsWith('[') && { servername: hostname }),
        ...(certificate !== undefined && { ca: certificate }),
        agent: false,
        signal,
      },
      (response) => {
        // Only the status matters.
        response.destroy()
        resolve(response.statusCode ?? 0)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Rejects when the signal is aborted, although the work itself cannot be cancelled (a DNS lookup, for example). */
const before = <Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
