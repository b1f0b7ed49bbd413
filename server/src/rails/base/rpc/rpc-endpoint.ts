import { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { createCircuitBreaker } from '../../circuit-breaker.ts'
import { MalformedReply, NodeRefusal, NodeUnreachable } from '../../node-errors.ts'
import { postJson } from '../../post-json.ts'

/** One RPC endpoint of the chain. A node of another chain is never used. */
export interface RpcEndpoint {
  /** Throws ChainRefusal, MalformedReply or NodeUnreachable. */
  call<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T>
  isCircuitOpen(): boolean
}

/** The node refused. `data` is what a contract returned when it reverted. */
export class ChainRefusal extends NodeRefusal {
  override name = 'ChainRefusal'
  readonly code: number
  readonly data: string | undefined

  constructor(message: string, code: number, data: string | undefined) {
    super(message)
    this.code = code
    this.data = data
  }
}

export interface RpcEndpointParts {
  /** A URL, or a function that returns it, because an embedded chain has one only while it is running. */
  readonly url: string | (() => Promise<string>)
  readonly chainId: number
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
}

const Failure = z.object({
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }),
})
const Success = z.object({ result: z.unknown() })
const HexData = z.string().regex(/^0x([0-9a-fA-F]{2})*$/)

export function createRpcEndpoint({ url, chainId, clock, log, timeoutMs }: RpcEndpointParts): RpcEndpoint {
  const breaker = createCircuitBreaker('the Base node', { clock, log })
  let rightChain: string | undefined

  async function callOnce<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> {
    const address = typeof url === 'string' ? url : await url()
    if (rightChain !== address) {
      const found = Number(await result(address, 'eth_chainId', [], timeoutMs))
      if (found !== chainId) {
        log.error({ found, wanted: chainId }, 'BASE_RPC_URL: the node is on another chain and is not used')
        throw new MalformedReply(`the node is on chain ${found}, not ${chainId}`)
      }
      rightChain = address
    }
    const found = schema.safeParse(await result(address, method, params, timeoutMs))
    if (found.success) return found.data
    const [issue] = found.error.issues
    throw new MalformedReply(`${method}: ${issue?.path.join('.')} ${issue?.message}`)
  }

  return {
    isCircuitOpen: breaker.isOpen,
    call: (method, params, schema) => breaker.run(method, () => callOnce(method, params, schema)),
  }
}

async function result(url: string, method: string, params: readonly unknown[], timeoutMs: number): Promise<unknown> {
  const request = { jsonrpc: '2.0', id: 1, method, params }
  // Some nodes send errors with an HTTP error status. The body says what is wrong.
  const acceptsStatus = (status: number) => status === 400 || status === 500
  const body = await postJson(url, method, request, { target: 'base-node', timeoutMs, acceptsStatus })
  const failure = Failure.safeParse(body)
  if (failure.success) {
    const { code, message, data } = failure.data.error
    if (isBusy(code, message)) throw new NodeUnreachable(`${method}: ${message}`, true)
    throw new ChainRefusal(message, code, HexData.safeParse(data).data)
  }
  const success = Success.safeParse(body)
  if (success.success && success.data.result !== undefined) return success.data.result
  throw new MalformedReply(`${method}: neither a result nor an error`)
}

/** Whether an error says nothing about the request itself: the node, or a provider in front of it, is busy. */
const isBusy = (code: number, message: string): boolean =>
  !/^execution reverted|out ?of ?gas/i.test(message) &&
  ([-32005, -32016, -32603, -32097, 429].includes(code) ||
    /rate limit|too many requests|timeout|timed out|header not found|internal error|capacity|try again/i.test(message))
