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
} from './chain-replies.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

export interface Call {
  readonly from?: string
  readonly to: string
  readonly data: string
}

/**
 * How a transaction would be sent. A contract can see the price of its gas, and could behave differently when there is
 * none.
 */
export interface SendTerms {
  readonly from: string
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Calls to the chain's nodes. Each may throw a node error; a contract that reverts is a ChainRefusal. */
export interface ChainClient {
  /** Simulates a transaction just as it would be sent, or a call that is never sent. */
  simulate(call: Call, terms?: SendTerms): Promise<Hex>
  /** The result of a call at this block, or at the newest. */
  read(call: Call, atBlock?: bigint): Promise<Hex>
  estimateGas(call: Call): Promise<bigint>
  newestBlock(): Promise<Block>
  /** How many transactions the account has made, pending ones included. */
  transactionCount(address: string, at: 'latest' | 'pending'): Promise<number>
  balance(address: string): Promise<bigint>
  code(address: string): Promise<Hex>
  /** Returns undefined if this node knows no block with it, which proves nothing. */
  receipt(hash: string): Promise<Receipt | undefined>
  /** Whether a node has it, mined or pending. */
  knows(hash: string): Promise<boolean>
  logs(filter: {
    readonly address: string
    readonly topics: Topics
    readonly fromBlock: bigint
    readonly toBlock: bigint
  }): Promise<ChainLog[]>
  /** Sends a signed transaction. Failures of a node or the network are returned as outcomes, not thrown. */
  broadcast(raw: string, hash: string): Promise<BroadcastOutcome>
}

/**
 * Makes one client of one or more nodes. The first is used; the others take over if it fails.
 * @param simulateAt anvil mines on demand: its newest block may be hours old, and only `pending` has the current time.
 */
export function createChainClient(
  endpoints: readonly RpcEndpoint[],
  simulateAt: 'latest' | 'pending' = 'latest',
): ChainClient {
  const callRpc: RpcEndpoint['call'] = (method, params, schema) =>
    withFailover(endpoints, (endpoint) => endpoint.call(method, params, schema))
  const number = (count: bigint): Hex => `0x${count.toString(16)}`

  return {
    simulate(call, terms) {
      const sent = Object.fromEntries(
        Object.entries(terms ?? {}).map(([name, value]) => [name, typeof value === 'bigint' ? number(value) : value]),
      )
      return callRpc('eth_call', [{ ...call, ...sent }, simulateAt], Bytes)
    },
    read: (call, atBlock) => callRpc('eth_call', [call, atBlock === undefined ? 'latest' : number(atBlock)], Bytes),
    estimateGas: (call) => callRpc('eth_estimateGas', [call, simulateAt], Quantity),
    newestBlock: () => callRpc('eth_getBlockByNumber', ['latest', false], Block),
    transactionCount: (address, at) => callRpc('eth_getTransactionCount', [address, at], Count),
    balance: (address) => callRpc('eth_getBalance', [address, 'latest'], Quantity),
    code: (address) => callRpc('eth_getCode', [address, 'latest'], Bytes),
    receipt: async (hash) => (await callRpc('eth_getTransactionReceipt', [hash], receiptOf(hash))) ?? undefined,
    knows: (hash) => callRpc('eth_getTransactionByHash', [hash], transactionOf(hash)),
    logs({ address, topics, fromBlock, toBlock }) {
      const filter = { address, topics, fromBlock: number(fromBlock), toBlock: number(toBlock) }
      return callRpc('eth_getLogs', [filter], logsOf(address, topics))
    },

    async broadcast(raw, hash) {
      const schema = Hash.refine((text) => text === hash.toLowerCase(), 'is another transaction')
      let doubt: string | undefined
      let last = 'no node is configured'
      let said: BroadcastOutcome | undefined
      for (const endpoint of endpoints) {
        try {
          await endpoint.call('eth_sendRawTransaction', [raw], schema)
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
