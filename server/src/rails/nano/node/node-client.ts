import { hashBlock, type StateBlock } from '@pennypost/nano/block'
import { formatWork, isWorkEnough } from '@pennypost/nano/work'
import { z } from 'zod'
import { type Clock, systemClock } from '../../../platform/clock.ts'
import { withFailover } from '../../failover.ts'
import { isNodeError, NodeRefusal, NodeUnreachable } from '../../node-errors.ts'
import { createLagDetector } from './lag-detector.ts'
import {
  type AccountBalance,
  AccountHistory,
  AccountInfo,
  BlockCount,
  type BlockInfo,
  balancesFor,
  blockInfoFor,
  blockInfosFor,
  Frontiers,
  Hash,
  type Receivable,
  receivableAtLeast,
  receivablesAtLeast,
} from './node-replies.ts'
import { type ProcessOutcome, refusedOutcome } from './process-outcome.ts'
import { type CallOptions, orRefusal, type RpcEndpoint, type RpcRequest, WrongNetwork } from './rpc-endpoint.ts'

/** Calls to a Nano node: addresses and hashes in, exact amounts out. Each call may throw a node error. */
export interface NodeClient {
  /** Returns undefined if the account has no block yet. */
  accountInfo(account: string): Promise<AccountInfo | undefined>
  /** Lists confirmed sends that the account has not received yet, largest first, none below `threshold`. */
  receivable(account: string, threshold: bigint): Promise<Receivable[]>
  /** The same for many accounts in one request, each with its own threshold. Accounts without receivables are omitted. */
  receivableOfMany(wanted: readonly AccountThreshold[]): Promise<ReadonlyMap<string, readonly Receivable[]>>
  /** The holdings of many accounts: the balance of each and what it can receive, confirmed. Every account has an entry. */
  balancesOfMany(accounts: readonly string[]): Promise<ReadonlyMap<string, AccountBalance>>
  /** The last block of each of many accounts, confirmed or not. Accounts without a block are omitted. */
  frontiersOfMany(accounts: readonly string[]): Promise<ReadonlyMap<string, string>>
  blockInfo(hash: string): Promise<BlockInfo | undefined>
  /** Returns the blocks that the node knows. */
  blocksInfo(hashes: readonly string[]): Promise<ReadonlyMap<string, BlockInfo>>
  accountHistory(account: string, options: { count: number; head?: string }): Promise<AccountHistory>
  /** Publishes a block. Failures of the node or the network are returned as outcomes, not thrown. */
  process(block: StateBlock): Promise<ProcessOutcome>
  /** Has the node compute work, and verifies it. */
  generateWork(root: string, threshold: bigint, options?: CallOptions): Promise<string>
  /** Checks every node: whether it replies, is on our network, and is not behind the others. The best are used first. */
  checkNodes(): Promise<readonly NodeStatus[]>
}

export interface NodeStatus {
  /** The node's URL, without credentials. */
  readonly node: string
  readonly state: 'ok' | 'behind' | 'unreachable' | 'wrong-network'
  /** The problem, for operators. Undefined if the state is `ok`. */
  readonly problem: string | undefined
}

/** An account, and the threshold below which money is dust. */
export interface AccountThreshold {
  readonly account: string
  readonly threshold: bigint
}

// If this limit were reached, something would be hidden. It is far above what is ever needed, since dust is excluded.
const maxReceivables = 1_000
// The limit for one account among many. If it is reached, that account is requested alone.
const maxOfEach = 32

/**
 * Makes one client of one or more nodes. The first is used. The others take over if it fails, is behind, or does not know
 * a block or account that another one may know.
 */
export function createNodeClient(endpoints: readonly RpcEndpoint[], clock: Clock = systemClock()): NodeClient {
  const findBehind = createLagDetector<RpcEndpoint>(clock)
  let behind: ReadonlySet<RpcEndpoint> = new Set()
  const inOrder = () => [
    ...endpoints.filter((endpoint) => !behind.has(endpoint)),
    ...endpoints.filter((endpoint) => behind.has(endpoint)),
  ]

  const call = <T>(request: RpcRequest, schema: z.ZodType<T>, options?: CallOptions, rounds = 2): Promise<T> =>
    withFailover(inOrder(), (endpoint) => endpoint.call(request, schema, options), { rounds, signal: options?.signal })

  /** While a reply is not whole, asks the next node as well and combines the replies. A node that fails then is skipped. */
  async function callUntilWhole<T>(
    ask: (endpoint: RpcEndpoint) => Promise<T>,
    isWhole: (reply: T) => boolean,
    combine: (known: T, more: T) => T,
  ): Promise<T> {
    const order = inOrder()
    const first = await withFailover(order, async (endpoint): Promise<{ endpoint: RpcEndpoint; reply: T }> => {
      return { endpoint, reply: await ask(endpoint) }
    })
    let known: T = first.reply
    for (const endpoint of order.slice(order.indexOf(first.endpoint) + 1)) {
      if (isWhole(known)) return known
      try {
        known = combine(known, await ask(endpoint))
      } catch (error) {
        if (!isNodeError(error)) throw error
      }
    }
    return known
  }

  const unless = async <T>(reason: string, reply: Promise<T>): Promise<T | undefined> => {
    try {
      return await reply
    } catch (error) {
      if (error instanceof NodeRefusal && error.message === reason) return undefined
      throw error
    }
  }

  const receivable = (account: string, threshold: bigint): Promise<Receivable[]> => {
    const request = { action: 'receivable', account, ...receivableTerms(threshold, maxReceivables) }
    return callUntilWhole(
      (endpoint) => endpoint.call(request, receivableAtLeast(threshold)),
      (found) => found.length > 0,
      (known, more) => (known.length > 0 ? known : more),
    )
  }

  return {
    accountInfo(account) {
      const request = { action: 'account_info', account, representative: 'true', include_confirmed: 'true' }
      return callUntilWhole(
        (endpoint) => unless('Account not found', endpoint.call(request, AccountInfo)),
        (info) => info !== undefined,
        (known, more) => known ?? more,
      )
    },

    receivable,

    async receivableOfMany(wanted) {
      const accounts = wanted.map(({ account }) => account)
      const least = wanted.reduce(
        // biome-ignore lint/complexity/useMathMinMax: it cannot compare bigints
        (low, { threshold }) => (threshold < low ? threshold : low),
        wanted[0]!.threshold,
      )
      const request = { action: 'accounts_receivable', accounts, ...receivableTerms(least, maxOfEach) }
      const listed = await call(request, receivablesAtLeast(least, new Set(accounts)))
      const found = new Map<string, Receivable[]>()
      for (const { account, threshold } of wanted) {
        const blocks = listed.get(account) ?? []
        // For this action a node counts before it sorts. If it reached the limit, dust may hide the largest amount.
        const isWhole = blocks.length < maxOfEach
        const there = isWhole
          ? blocks.filter(({ amount }) => amount >= threshold)
          : await receivable(account, threshold)
        if (there.length > 0) found.set(account, there)
      }
      return found
    },

    async balancesOfMany(accounts) {
      if (accounts.length === 0) return new Map()
      return call({ action: 'accounts_balances', accounts }, balancesFor(accounts))
    },

    async frontiersOfMany(accounts) {
      if (accounts.length === 0) return new Map()
      return call({ action: 'accounts_frontiers', accounts }, Frontiers)
    },

    blockInfo: (hash) =>
      callUntilWhole(
        (endpoint) =>
          unless(
            'Block not found',
            endpoint.call({ action: 'block_info', hash, json_block: 'true' }, blockInfoFor(hash)),
          ),
        isWhole,
        furtherOf,
      ),

    async blocksInfo(hashes) {
      if (hashes.length === 0) return new Map()
      const request = { action: 'blocks_info', hashes, json_block: 'true', include_not_found: 'true' }
      return callUntilWhole<ReadonlyMap<string, BlockInfo>>(
        (endpoint) => endpoint.call(request, blockInfosFor(hashes)),
        (found) => hashes.every((hash) => isWhole(found.get(hash))),
        (known, more) =>
          new Map([...known, ...more].map(([hash]) => [hash, furtherOf(known.get(hash), more.get(hash))!])),
      )
    },

    async accountHistory(account, { count, head }) {
      const request = { action: 'account_history', account, count: String(count), ...(head && { head }) }
      const history = await callUntilWhole(
        (endpoint) => unless('Account not found', endpoint.call(request, AccountHistory)),
        (found) => found !== undefined && found.entries.length > 0,
        (known, more) => (known && known.entries.length > 0 ? known : more),
      )
      return history ?? { entries: [], next: undefined }
    },

    async process(block) {
      const hash = hashBlock(block)
      const schema = z.object({ hash: Hash.refine((text) => text === hash, 'is another block') })
      // No subtype: with one, a node that already has the block would call it invalid instead of old.
      const request = { action: 'process', json_block: 'true', block }
      let doubt: Error | undefined
      let last: Error | undefined
      let gap: ProcessOutcome | undefined
      for (const endpoint of inOrder()) {
        try {
          await endpoint.call(request, schema)
          return { kind: 'accepted', hash }
        } catch (error) {
          if (error instanceof NodeRefusal) {
            const outcome = refusedOutcome(error.message, hash)
            // This node lacks an earlier block, which the next one may have.
            if (outcome.kind === 'gap') {
              gap ??= outcome
              continue
            }
            // Another node may have accepted it before this one refused.
            return doubt && outcome.kind !== 'old' ? { kind: 'uncertain', hash, cause: doubt.message } : outcome
          }
          last = error as Error
          if (!(error instanceof NodeUnreachable) || error.mayHaveHeard) doubt ??= last
        }
      }
      if (gap && !doubt) return gap
      return { kind: 'uncertain', hash, cause: (doubt ?? last)!.message }
    },

    generateWork(root, threshold, options) {
      const schema = z
        .object({ work: z.string() })
        .refine(({ work }) => isWorkEnough(root, work, threshold), 'the work is not enough')
        .transform(({ work }) => work.toLowerCase())
      // Only one try: the caller can compute it too, and should start soon.
      return call({ action: 'work_generate', hash: root, difficulty: formatWork(threshold) }, schema, options, 1)
    },

    async checkNodes() {
      const counts = new Map<RpcEndpoint, number>()
      const failures = new Map<RpcEndpoint, Error>()
      await Promise.all(
        endpoints.map(async (endpoint) => {
          try {
            await endpoint.checkNetwork()
            // Some providers do not allow this request. Then the node is not compared with the others.
            const found = await orRefusal(endpoint.call({ action: 'block_count' }, BlockCount))
            if (!(found instanceof NodeRefusal)) counts.set(endpoint, found.confirmed)
          } catch (error) {
            if (!isNodeError(error)) throw error
            failures.set(endpoint, error)
          }
        }),
      )
      behind = findBehind(counts)
      const best = Math.max(...counts.values())
      return endpoints.map((endpoint): NodeStatus => {
        const { name: node } = endpoint
        const failure = failures.get(endpoint)
        if (failure instanceof WrongNetwork) return { node, state: 'wrong-network', problem: failure.message }
        if (failure) return { node, state: 'unreachable', problem: `${node} cannot be used: ${failure.message}` }
        if (!behind.has(endpoint)) return { node, state: 'ok', problem: undefined }
        const problem = `${node} is behind: it has ${counts.get(endpoint)} confirmed blocks, another node has ${best}`
        return { node, state: 'behind', problem }
      })
    },
  }
}

/** A node that has pruned the block before does not know the amount. Another one may. */
const isWhole = (info: BlockInfo | undefined): boolean => info?.isConfirmed === true && info.amount !== undefined

/** Merges two nodes' views of a block: the more advanced one wins. */
const furtherOf = (one: BlockInfo | undefined, other: BlockInfo | undefined): BlockInfo | undefined =>
  other?.isConfirmed && !isWhole(one) ? other : (one ?? other)

const receivableTerms = (threshold: bigint, count: number) => ({
  threshold: String(threshold),
  count: String(count),
  source: 'true',
  sorting: 'true',
  include_only_confirmed: 'true',
})
