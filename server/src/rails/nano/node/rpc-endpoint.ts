import { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { NodeNonsense, NodeRefusal, NodeUnreachable } from './node-errors.ts'

/** One address of a node, which is left alone for a while when it fails again and again. */
export interface RpcEndpoint {
  /** Throws NodeRefusal, NodeNonsense or NodeUnreachable. */
  ask<T>(question: Question, answer: z.ZodType<T>, options?: AskOptions): Promise<T>
  /** Whether it is being left alone. */
  isResting(): boolean
}

export type Question = Readonly<Record<string, unknown>> & { readonly action: string }

export interface AskOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface RpcEndpointParts {
  /** An address, or where it is found out: an embedded ledger has one only when it runs. */
  readonly url: string | (() => Promise<string>)
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
}

const failuresBeforeRest = 3
const shortestRestMs = 1_000
const longestRestMs = 60_000
const largestAnswerBytes = 16 * 1024 * 1024

const ErrorAnswer = z.object({ error: z.string() })

export function createRpcEndpoint({ url, clock, log, timeoutMs }: RpcEndpointParts): RpcEndpoint {
  let failures = 0
  let restsUntilMs = 0
  let isTried = false

  const nowMs = () => clock.now().getTime()
  const isResting = () => nowMs() < restsUntilMs || (failures >= failuresBeforeRest && isTried)

  function noteFailure(action: string, error: Error): void {
    // Questions that were under way when the rest began say nothing new.
    if (nowMs() < restsUntilMs) return
    failures += 1
    if (failures < failuresBeforeRest) return
    const restMs = Math.min(longestRestMs, shortestRestMs * 2 ** (failures - failuresBeforeRest))
    restsUntilMs = nowMs() + restMs
    log.warn({ action, cause: error.message, failures, restMs }, 'the Nano node fails; it is left alone for a while')
  }

  return {
    isResting,
    async ask(question, answer, options = {}) {
      if (isResting()) throw new NodeUnreachable('the node is left alone after failures', false)
      isTried = true // after a rest one question goes first; the others wait for how it fares
      try {
        const found = await askOnce(url, question, answer, { timeoutMs, ...options })
        failures = 0
        return found
      } catch (error) {
        if (error instanceof NodeRefusal) failures = 0
        // Whoever gave up waiting has learned nothing about the node.
        else if (!options.signal?.aborted) noteFailure(question.action, error as Error)
        throw error
      } finally {
        isTried = false
      }
    },
  }
}

async function askOnce<T>(
  url: RpcEndpointParts['url'],
  question: Question,
  answer: z.ZodType<T>,
  { timeoutMs, signal }: AskOptions & { timeoutMs: number },
): Promise<T> {
  const body = await post(typeof url === 'string' ? url : await url(), question, timeoutMs, signal)
  const refusal = ErrorAnswer.safeParse(body)
  if (refusal.success) throw new NodeRefusal(refusal.data.error)
  const found = answer.safeParse(body)
  if (found.success) return found.data
  const [issue] = found.error.issues
  throw new NodeNonsense(`${question.action}: ${issue?.path.join('.')} ${issue?.message}`)
}

async function post(url: string, question: Question, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
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
  // A node says no with 200. Any other status is that of something in front of it, which may have passed the question on.
  if (status !== 200) throw new NodeUnreachable(`${question.action}: status ${status}`, true)
  try {
    return JSON.parse(text)
  } catch {
    throw new NodeNonsense(`${question.action}: the answer is not JSON`)
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
