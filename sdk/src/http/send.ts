import { PennypostError, secondsOf } from '../errors.ts'
import type { PreparedRequest } from './prepare-request.ts'

/** How often and how long requests are repeated. */
export interface RetryOptions {
  /** How often a request is sent at most. Default: 4. With 1 nothing is repeated. */
  attempts?: number | undefined
  /** The longest wait before an attempt. If the service asks for more, the error is thrown immediately. Default: 30. */
  maxWaitSeconds?: number | undefined
}

export interface SendOptions {
  readonly fetch: typeof fetch
  readonly retry: Required<{ [Key in keyof RetryOptions]: number }>
  /** How long to wait for a response. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly operation: string
  /** The `Authorization` of each attempt. */
  readonly authorization: () => Promise<string | undefined>
}

/** A response, and what was read of its body. */
export interface Received {
  readonly response: Response
  readonly body: unknown
}

/** Reads the body of a response, or leaves a stream to the caller and returns undefined. */
export type ReadReply = (response: Response) => Promise<unknown>

/**
 * Sends a request until it has a response that is not 429 or 503. Each attempt has the same bytes and the same
 * idempotency key. If the connection fails, only a request that is safe to repeat is sent again.
 */
export async function sendWithRetries(
  request: PreparedRequest,
  options: SendOptions,
  read: ReadReply,
): Promise<Received> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce(request, options, read)
    const waitSeconds = waitBefore(outcome, attempt)
    const isOver = attempt >= options.retry.attempts || waitSeconds > options.retry.maxWaitSeconds
    if (outcome instanceof PennypostError) {
      if (isOver || !request.isRepeatable) throw outcome
    } else if (isOver || !isBusy(outcome, request)) return outcome
    await pause(waitSeconds * 1000, options.signal)
  }
}

/** 502 and 504 come from a proxy, and say nothing about what the service did. */
const isBusy = ({ response: { status } }: Received, { isRepeatable }: PreparedRequest): boolean =>
  status === 429 || status === 503 || (isRepeatable && (status === 502 || status === 504))

function waitBefore(outcome: Received | PennypostError, attempt: number): number {
  const asked = outcome instanceof PennypostError ? undefined : secondsOf(outcome.response.headers.get('retry-after'))
  // Random, so that many clients that were refused together do not retry together.
  return asked ?? Math.min(8, 0.25 * 2 ** attempt) * (0.5 + Math.random() / 2)
}

async function attemptOnce(
  request: PreparedRequest,
  { operation, timeoutMs, signal, fetch, authorization }: SendOptions,
  read: ReadReply,
): Promise<Received | PennypostError> {
  signal?.throwIfAborted()
  const token = await untilAborted(authorization(), signal)
  const ending = new AbortController()
  const onAbort = () => ending.abort(signal!.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  let isStreaming = false
  let isTimeout = false
  const timer = setTimeout(() => {
    isTimeout = true
    ending.abort()
  }, timeoutMs)
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: { ...request.headers, ...(token !== undefined && { authorization: token }) },
      redirect: 'manual',
      signal: ending.signal,
      ...(request.body !== undefined && { body: request.body as NonNullable<RequestInit['body']> }),
    })
    const body = await read(response)
    isStreaming = response.body !== null && !response.bodyUsed
    return { response, body }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    if (cause instanceof PennypostError) throw cause
    const detail = isTimeout ? `No response within ${timeoutMs / 1000} seconds.` : 'The connection failed.'
    const code = isTimeout ? 'timeout' : 'network-error'
    return new PennypostError({ operation, code, detail, cause, isUncertain: request.method !== 'GET' })
  } finally {
    clearTimeout(timer)
    // A stream that the caller goes on reading must still end with the signal.
    if (!isStreaming) signal?.removeEventListener('abort', onAbort)
  }
}

/** Waits, and throws if the caller gives up meanwhile. */
export function pause(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/**
 * Stops waiting when the caller gives up. The work goes on, because others may wait for the same result, such as a new
 * session.
 */
async function untilAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return result
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
