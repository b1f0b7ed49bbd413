import { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { createCircuitBreaker } from '../../circuit-breaker.ts'
import { MalformedReply, NodeRefusal } from '../../node-errors.ts'
import { postJson } from '../../post-json.ts'

/** One RPC endpoint of a node, behind a circuit breaker. */
export interface RpcEndpoint {
  /** Throws NodeRefusal, MalformedReply or NodeUnreachable. */
  call<T>(request: RpcRequest, schema: z.ZodType<T>, options?: CallOptions): Promise<T>
  /** Whether its circuit breaker is open. */
  isCircuitOpen(): boolean
}

export type RpcRequest = Readonly<Record<string, unknown>> & { readonly action: string }

export interface CallOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface RpcEndpointParts {
  /** A URL, or a function that returns it, because an embedded ledger has one only while it is running. */
  readonly url: string | (() => Promise<string>)
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
}

const ErrorReply = z.object({ error: z.string() })

export function createRpcEndpoint({ url, clock, log, timeoutMs }: RpcEndpointParts): RpcEndpoint {
  const breaker = createCircuitBreaker('the Nano node', { clock, log })
  return {
    isCircuitOpen: breaker.isOpen,
    call: (request, schema, options = {}) =>
      breaker.run(request.action, () => callOnce(url, request, schema, { timeoutMs, ...options }), options.signal),
  }
}

async function callOnce<T>(
  url: RpcEndpointParts['url'],
  request: RpcRequest,
  schema: z.ZodType<T>,
  options: CallOptions & { timeoutMs: number },
): Promise<T> {
  // A node sends errors with status 200 too.
  const body = await postJson(typeof url === 'string' ? url : await url(), request.action, request, options)
  const refusal = ErrorReply.safeParse(body)
  if (refusal.success) throw new NodeRefusal(refusal.data.error)
  const found = schema.safeParse(body)
  if (found.success) return found.data
  const [issue] = found.error.issues
  throw new MalformedReply(`${request.action}: ${issue?.path.join('.')} ${issue?.message}`)
}
