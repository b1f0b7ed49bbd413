import { type ClientOptions, call, RefusedError } from '@pennypost/contract/client'
import type { ClientInput, ClientReply, Endpoint } from '@pennypost/contract/endpoint'

/** How to reach an account: an access token of its owner session, or a function that returns the current one. */
export type ImportAccount = ClientOptions

export interface RetryOptions {
  readonly signal?: AbortSignal | undefined
  /** How long to wait for a service that says it is busy. Default: five minutes for each request. */
  readonly maxWaitMs?: number | undefined
  readonly wait?: ((milliseconds: number) => Promise<void>) | undefined
}

const defaultWaitMs = 300_000
const firstWaitMs = 500
const longestWaitMs = 30_000
const requestTimeoutMs = 120_000

/** Sends a request, and again while the service is busy or the network fails. Every request of an import is safe to repeat. */
export async function callPatiently<E extends Endpoint>(
  endpoint: E,
  input: ClientInput<E>,
  account: ImportAccount,
  { signal, maxWaitMs = defaultWaitMs, wait = sleep }: RetryOptions,
): Promise<ClientReply<E>> {
  let waitedMs = 0
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    signal?.throwIfAborted()
    const timeout = AbortSignal.timeout(requestTimeoutMs)
    try {
      return await call(endpoint, input, { ...account, signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
    } catch (error) {
      if (signal?.aborted || !isTemporary(error) || waitedMs >= maxWaitMs) throw error
      // Images are checked within a second, so a full queue is tried again sooner than it says.
      const isQueue = error instanceof RefusedError && error.code === 'staging-limit'
      const asked = error instanceof RefusedError && !isQueue ? (error.retryAfterSeconds ?? 0) * 1000 : 0
      const pauseMs = Math.max(waitMs, asked)
      if (waitedMs + pauseMs > maxWaitMs) throw error
      waitedMs += pauseMs
      await wait(pauseMs)
    }
  }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof RefusedError
    ? error.status === 429 || error.status === 503 || error.status === 502 || error.status === 504
    : true

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
