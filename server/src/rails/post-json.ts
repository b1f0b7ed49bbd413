import { observeCall } from '../platform/outgoing/observe-call.ts'
import { ReplyTooLarge } from '../platform/outgoing/public-request.ts'
import { sendToServer } from '../platform/outgoing/send-to-server.ts'
import type { CallTarget } from '../platform/process-metrics.ts'
import { MalformedReply, NodeUnreachable } from './node-errors.ts'

export interface PostOptions {
  readonly target: CallTarget
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Which statuses other than 200 have a body to parse. */
  readonly acceptsStatus?: (status: number) => boolean
}

const maxReplyBytes = 16 * 1024 * 1024

/**
 * Posts JSON and returns the JSON reply. Throws NodeUnreachable, which says whether the request may have arrived, or
 * MalformedReply. Credentials in the URL are sent as a header. Redirects are not followed.
 */
export const postJson = (url: string, what: string, request: unknown, options: PostOptions): Promise<unknown> =>
  observeCall({ target: options.target, what }, (trace) =>
    post(url, what, request, { ...options, headers: { ...options.headers, ...trace } }),
  )

async function post(url: string, what: string, request: unknown, options: PostOptions): Promise<unknown> {
  const { timeoutMs, signal, acceptsStatus = () => false } = options
  const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]
  let status: number
  let text: string
  try {
    const { address, headers: basic } = withoutCredentials(url)
    const headers = { ...basic, ...options.headers }
    const body = JSON.stringify(request)
    const init = { method: 'POST', headers, body, signal: AbortSignal.any(limits), maxBytes: maxReplyBytes } as const
    const reply = await sendToServer(address, init)
    status = reply.status
    text = reply.text
  } catch (error) {
    if (error instanceof ReplyTooLarge) throw new MalformedReply('the reply is too long')
    throw new NodeUnreachable(error instanceof Error ? error.message : String(error), !wasNeverConnected(error))
  }
  // Any other status comes from a proxy in front of the node, which may have passed the request on.
  if (status !== 200 && !acceptsStatus(status)) throw new NodeUnreachable(`${what}: status ${status}`, true, status)
  try {
    return JSON.parse(text)
  } catch {
    throw new MalformedReply(`${what}: the reply is not JSON`)
  }
}

function withoutCredentials(url: string): { address: string; headers: Record<string, string> } {
  const address = new URL(url)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (address.username || address.password) {
    const pair = `${decodeURIComponent(address.username)}:${decodeURIComponent(address.password)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
    address.username = ''
    address.password = ''
  }
  return { address: address.href, headers }
}

/**
 * Whether no connection was made, judged by the system call that failed. If several addresses were tried, the error covers
 * all of them.
 */
const wasNeverConnected = (error: unknown): boolean =>
  error instanceof AggregateError ||
  ['connect', 'getaddrinfo'].includes((error as NodeJS.ErrnoException | undefined)?.syscall ?? '')
