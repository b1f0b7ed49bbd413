import { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { createCircuitBreaker } from '../../circuit-breaker.ts'
import { NodeNonsense, NodeRefusal } from '../../node-errors.ts'
import { postJson } from '../../post-json.ts'

/** One RPC endpoint of a node, behind a circuit breaker. */
export interface RpcEndpoint {
  /** Throws NodeRefusal, NodeNonsense or NodeUnreachable. */
  ask<T>(question: Question, answer: z.ZodType<T>, options?: AskOptions): Promise<T>
  /** Whether its circuit breaker is open. */
  isResting(): boolean
}

export type Question = Readonly<Record<string, unknown>> & { readonly action: string }

export interface AskOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface RpcEndpointParts {
  /** A URL, or a function that finds it: an embedded ledger has one only while it is running. */
  readonly url: string | (() => Promise<string>)
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
}

const ErrorAnswer = z.object({ error: z.string() })

export function createRpcEndpoint({ url, clock, log, timeoutMs }: RpcEndpointParts): RpcEndpoint {
  const rest = createCircuitBreaker('the Nano node', { clock, log })
  return {
    isResting: rest.isOpen,
    ask: (question, answer, options = {}) =>
      rest.run(question.action, () => askOnce(url, question, answer, { timeoutMs, ...options }), options.signal),
  }
}

async function askOnce<T>(
  url: RpcEndpointParts['url'],
  question: Question,
  answer: z.ZodType<T>,
  options: AskOptions & { timeoutMs: number },
): Promise<T> {
  // A node replies with 200 to errors too.
  const body = await postJson(typeof url === 'string' ? url : await url(), question.action, question, options)
  const refusal = ErrorAnswer.safeParse(body)
  if (refusal.success) throw new NodeRefusal(refusal.data.error)
  const found = answer.safeParse(body)
  if (found.success) return found.data
  const [issue] = found.error.issues
  throw new NodeNonsense(`${question.action}: ${issue?.path.join('.')} ${issue?.message}`)
}
