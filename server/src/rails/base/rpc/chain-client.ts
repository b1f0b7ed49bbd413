import { withFailover } from '../../failover.ts'
import { NodeRefusal, NodeUnreachable } from '../../node-errors.ts'
import { type BroadcastOutcome, refusedBroadcast } from './broadcast-outcome.ts'
import {
  Block,
  Bytes,
  type ChainLog,
  Count,
  Hash,
  type Hex,
  logsOf,
  Quantity,
  type Receipt,
  receiptOf,
  type Topics,
  transactionOf,
} from './chain-answers.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

export interface Call {
  readonly from?: string
  readonly to: string
  readonly data: string
}

/** Calls to the chain's nodes. Each may throw a node error; a contract that reverts is a ChainRefusal. */
export interface ChainClient {
  /** Simulates a call, with at most `gas` where it is given. */
  simulate(call: Call & { readonly gas?: bigint }): Promise<Hex>
  /** The result of a call at this block, or at the newest. */
  read(call: Call, atBlock?: bigint): Promise<Hex>
  estimateGas(call: Call): Promise<bigint>
  newestBlock(): Promise<Block>
  /** How many transactions the account has made, pending ones included. */
  transactionCount(address: string, at: 'latest' | 'pending'): Promise<number>
  balance(address: string): Promise<bigint>
  code(address: string): Promise<Hex>
  /** Undefined: it is in no block that this node knows, which proves nothing. */
  receipt(hash: string): Promise<Receipt | undefined>
  /** Whether a node has it, mined or pending. */
  knows(hash: string): Promise<boolean>
  logs(filter: {
    readonly address: string
    readonly topics: Topics
    readonly fromBlock: bigint
    readonly toBlock: bigint
  }): Promise<ChainLog[]>
  /** Sends a signed transaction. Never throws for what a node or the network did: the outcome says it. */
  broadcast(raw: string, hash: string): Promise<BroadcastOutcome>
}

/**
 * One or more nodes as one client: the first that replies counts, the others are spares.
 * @param simulateAt anvil mines on demand: its newest block may be hours old, and only `pending` has the current time.
 */
export function createChainClient(
  endpoints: readonly RpcEndpoint[],
  simulateAt: 'latest' | 'pending' = 'latest',
): ChainClient {
  const ask: RpcEndpoint['ask'] = (method, params, answer) =>
    withFailover(endpoints, (endpoint) => endpoint.ask(method, params, answer))
  const number = (count: bigint): Hex => `0x${count.toString(16)}`

  return {
    simulate: ({ gas, ...call }) =>
      ask('eth_call', [gas === undefined ? call : { ...call, gas: number(gas) }, simulateAt], Bytes),
    read: (call, atBlock) => ask('eth_call', [call, atBlock === undefined ? 'latest' : number(atBlock)], Bytes),
    estimateGas: (call) => ask('eth_estimateGas', [call, simulateAt], Quantity),
    newestBlock: () => ask('eth_getBlockByNumber', ['latest', false], Block),
    transactionCount: (address, at) => ask('eth_getTransactionCount', [address, at], Count),
    balance: (address) => ask('eth_getBalance', [address, 'latest'], Quantity),
    code: (address) => ask('eth_getCode', [address, 'latest'], Bytes),
    receipt: async (hash) => (await ask('eth_getTransactionReceipt', [hash], receiptOf(hash))) ?? undefined,
    knows: (hash) => ask('eth_getTransactionByHash', [hash], transactionOf(hash)),
    logs({ address, topics, fromBlock, toBlock }) {
      const filter = { address, topics, fromBlock: number(fromBlock), toBlock: number(toBlock) }
      return ask('eth_getLogs', [filter], logsOf(address, topics))
    },

    async broadcast(raw, hash) {
      const answer = Hash.refine((text) => text === hash.toLowerCase(), 'is another transaction')
      let doubt: string | undefined
      let last = 'no node was asked'
      let said: BroadcastOutcome | undefined
      for (const endpoint of endpoints) {
        try {
          await endpoint.ask('eth_sendRawTransaction', [raw], answer)
          return { kind: 'accepted' }
        } catch (error) {
          last = (error as Error).message
          if (error instanceof NodeRefusal) {
            const outcome = refusedBroadcast(last)
            if (outcome.kind === 'accepted' || outcome.kind === 'nonce-used') return outcome
            said = outcome
          } else if (!(error instanceof NodeUnreachable) || error.mayHaveHeard) doubt ??= last
        }
      }
      // Another node may have accepted it before this one refused.
      return said && doubt === undefined ? said : { kind: 'uncertain', cause: doubt ?? last }
    },
  }
}
