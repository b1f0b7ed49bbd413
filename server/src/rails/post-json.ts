import { NodeNonsense, NodeUnreachable } from './nano/node/node-errors.ts'

export interface PostOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Other statuses whose body is an answer too; 200 always is. */
  readonly answers?: (status: number) => boolean
}

const largestAnswerBytes = 16 * 1024 * 1024

/**
 * Asks something that speaks JSON over HTTP. Throws NodeUnreachable, which says whether it may have heard us, or
 * NodeNonsense. Credentials in the address are sent as a header; no redirect is followed.
 */
export async function postJson(url: string, what: string, question: unknown, options: PostOptions): Promise<unknown> {
  const { timeoutMs, signal, answers = () => false } = options
  const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]
  let status: number
  let text: string
  try {
    const { address, headers } = withoutCredentials(url)
    const body = JSON.stringify(question)
    const init = { method: 'POST', headers, body, redirect: 'error', signal: AbortSignal.any(limits) } as const
    const response = await fetch(address, init)
    status = response.status
    text = await readText(response)
  } catch (error) {
    if (error instanceof NodeNonsense) throw error
    throw new NodeUnreachable(causeOf(error), !wasNeverConnected(error))
  }
  // Any other status is that of something in front of it, which may have passed the question on.
  if (status !== 200 && !answers(status)) throw new NodeUnreachable(`${what}: status ${status}`, true)
  try {
    return JSON.parse(text)
  } catch {
    throw new NodeNonsense(`${what}: the answer is not JSON`)
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

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > largestAnswerBytes) throw new NodeNonsense('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const codesBeforeConnection = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
])

const wasNeverConnected = (error: unknown): boolean =>
  error instanceof Error && codesBeforeConnection.has(String((error.cause as NodeJS.ErrnoException | undefined)?.code))

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
