import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { CallTarget } from '../process-metrics.ts'
import { observeCall } from './observe-call.ts'
import { type AddressRule, resolvePublicAddress } from './public-address.ts'

// Requests to hosts that other people name. They go to the address that was checked, with the original host name, and
// redirects are not followed.

export interface PublicRequest extends AddressRule {
  /** The kind of host, for metrics and traces. The host gets no trace headers. */
  readonly target: CallTarget
  readonly headers: Readonly<Record<string, string>>
  /** For the whole request, including the name lookup. */
  readonly timeoutMs: number
  /** An additional certificate authority to trust. */
  readonly certificate?: string | undefined
}

export interface PublicReply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** The reply is longer than the caller reads. */
export class ReplyTooLarge extends Error {}

/** Posts to a host on the public internet and returns the status. The reply's body is not read. */
export const postToPublicHost = (
  url: string,
  { body, ...options }: PublicRequest & { readonly body: Buffer },
): Promise<number> =>
  sendToPublicHost(url, { ...options, method: 'POST', body }, async (response) => {
    // Only the status matters.
    response.destroy()
    return response.statusCode ?? 0
  })

/** Gets a small document from a host on the public internet. */
export const getFromPublicHost = (
  url: string,
  { maxBytes, ...options }: PublicRequest & { readonly maxBytes: number },
): Promise<PublicReply> =>
  sendToPublicHost(url, { ...options, method: 'GET' }, async (response) => {
    const parts: Buffer[] = []
    let size = 0
    for await (const part of response) {
      parts.push(part)
      size += part.length
      // Leaving the loop destroys the connection.
      if (size > maxBytes) throw new ReplyTooLarge(`the reply has more than ${maxBytes} bytes`)
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }
  })

interface OutgoingRequest extends PublicRequest {
  readonly method: 'GET' | 'POST'
  readonly body?: Buffer
}

const sendToPublicHost = <Result>(
  url: string,
  request: OutgoingRequest,
  read: (response: IncomingMessage) => Promise<Result>,
): Promise<Result> =>
  observeCall({ target: request.target, what: request.method }, () => sendUnobserved(url, request, read))

async function sendUnobserved<Result>(
  url: string,
  { target: _, method, headers, body, certificate, timeoutMs, ...rule }: OutgoingRequest,
  read: (response: IncomingMessage) => Promise<Result>,
): Promise<Result> {
  const { protocol, hostname, host, port, pathname, search } = new URL(url)
  const signal = AbortSignal.timeout(timeoutMs)
  const address = await before(signal, resolvePublicAddress(hostname, rule))
  const isSecure = protocol === 'https:'
  return new Promise((resolve, reject) => {
    const sent = (isSecure ? requestHttps : requestHttp)(
      {
        host: address,
        port: port === '' ? (isSecure ? 443 : 80) : Number(port),
        path: pathname + search,
        method,
        headers: { ...headers, host },
        // For an IP address, the certificate is checked against the address.
        ...(isIP(hostname) === 0 && !hostname.startsWith('[') && { servername: hostname }),
        ...(certificate !== undefined && { ca: certificate }),
        agent: false,
        signal,
      },
      (response) => void read(response).then(resolve, reject),
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
