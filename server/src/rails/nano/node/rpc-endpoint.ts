import { genesisHashes } from '@pennypost/nano/genesis'
import type { NanoNetwork } from '@pennypost/nano/work'
import { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { createCircuitBreaker } from '../../circuit-breaker.ts'
import { MalformedReply, NodeRefusal, NodeUnreachable } from '../../node-errors.ts'
import { type PostOptions, postJson } from '../../post-json.ts'
import { Version } from './node-replies.ts'

/** One RPC endpoint of a node, behind a circuit breaker. It is used only if the node is on our network. */
export interface RpcEndpoint {
  /** The URL for logs and operators, without credentials. */
  readonly name: string
  /** Throws NodeRefusal, MalformedReply, WrongNetwork or NodeUnreachable. */
  call<T>(request: RpcRequest, schema: z.ZodType<T>, options?: CallOptions): Promise<T>
  /** Asks the node for its network again. Throws WrongNetwork if it is another one, or another node error. */
  checkNetwork(): Promise<void>
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
  /** The network that the node must be on. Undefined for a work server, which is on none. */
  readonly network?: NanoNetwork | undefined
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
}

/** The node is on another network than the one that is configured. Its coins are worth nothing here, so it is not used. */
export class WrongNetwork extends MalformedReply {
  override name = 'WrongNetwork'
}

const ErrorReply = z.object({ error: z.string() })
const recheckMs = 5_000

export function createRpcEndpoint({ url, network, clock, log, timeoutMs }: RpcEndpointParts): RpcEndpoint {
  const breaker = createCircuitBreaker('the Nano node', { clock, log })
  const name = typeof url === 'string' ? withoutCredentials(url) : 'the embedded ledger'
  let isRight = network === undefined
  const target = network === undefined ? 'nano-work' : 'nano-node'
  let wrong: { readonly error: WrongNetwork; readonly at: number } | undefined
  let checking: Promise<void> | undefined

  const send = <T>(request: RpcRequest, schema: z.ZodType<T>, options: CallOptions = {}): Promise<T> =>
    breaker.run(request.action, () => callOnce(url, request, schema, { target, timeoutMs, ...options }), options.signal)

  /** Throws unless the node's network has the name and the genesis block of ours. */
  async function requireNetwork(wanted: NanoNetwork): Promise<void> {
    // Some providers do not allow `version`. Then the genesis block decides.
    const version = await orRefusal(send({ action: 'version' }, Version))
    if (version instanceof NodeRefusal) return requireGenesis(wanted)
    if (version.network !== undefined && version.network !== wanted)
      throw new WrongNetwork(`${name} is on the ${version.network} network, not on ${wanted}`)
    const { network_identifier: genesis } = version
    if (genesis === undefined) return requireGenesis(wanted)
    if (genesis.toUpperCase() !== genesisHashes[wanted]) throw hasOtherGenesis(wanted)
  }

  async function requireGenesis(wanted: NanoNetwork): Promise<void> {
    const request = { action: 'block_info', hash: genesisHashes[wanted], json_block: 'true' }
    const block = await orRefusal(send(request, AnyBlock))
    if (!(block instanceof NodeRefusal)) return
    if (block.message === 'Block not found') throw hasOtherGenesis(wanted)
    throw new NodeUnreachable(`${name} does not say which network it is on: ${block.message}`, false)
  }

  const hasOtherGenesis = (wanted: NanoNetwork) =>
    new WrongNetwork(`${name} does not have the genesis block of the ${wanted} network`)

  async function checkOnce(): Promise<void> {
    try {
      await requireNetwork(network!)
      if (wrong) log.info({ node: name, network }, 'the Nano node is on the right network again')
      isRight = true
      wrong = undefined
    } catch (error) {
      if (!(error instanceof WrongNetwork)) throw error
      if (!wrong)
        log.error({ node: name, cause: error.message }, 'NANO_RPC_URL: the node is on another network and is not used')
      isRight = false
      wrong = { error, at: clock.now().getTime() }
      throw error
    }
  }

  /** Calls that come together share one check. */
  function checkNetwork(): Promise<void> {
    if (network === undefined) return Promise.resolve()
    checking ??= checkOnce().finally(() => {
      checking = undefined
    })
    return checking
  }

  return {
    name,
    isCircuitOpen: breaker.isOpen,
    checkNetwork,
    async call(request, schema, options) {
      if (wrong && clock.now().getTime() - wrong.at < recheckMs) throw wrong.error
      if (!isRight) await checkNetwork().catch(notHeard)
      return send(request, schema, options)
    },
  }
}

/** The request itself was not sent. */
function notHeard(error: Error): never {
  throw error instanceof NodeUnreachable ? new NodeUnreachable(error.message, false) : error
}

const AnyBlock = z.looseObject({ block_account: z.string() })

export async function orRefusal<T>(reply: Promise<T>): Promise<T | NodeRefusal> {
  try {
    return await reply
  } catch (error) {
    if (error instanceof NodeRefusal) return error
    throw error
  }
}

/** Providers put keys into the path or the query as well. */
function withoutCredentials(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

async function callOnce<T>(
  url: RpcEndpointParts['url'],
  request: RpcRequest,
  schema: z.ZodType<T>,
  options: PostOptions,
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
