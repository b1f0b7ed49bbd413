import { hashBlock, type StateBlock } from '@pennypost/nano/block'
import { formatWork, isWorkEnough } from '@pennypost/nano/work'
import { z } from 'zod'
import { withFailover } from '../../failover.ts'
import { NodeRefusal, NodeUnreachable } from '../../node-errors.ts'
import {
  AccountHistory,
  AccountInfo,
  type BlockInfo,
  blockInfoFor,
  blockInfosFor,
  Hash,
  type Receivable,
  receivableAtLeast,
  receivablesAtLeast,
  Version,
} from './node-replies.ts'
import { type ProcessOutcome, refusedOutcome } from './process-outcome.ts'
import type { CallOptions, RpcEndpoint, RpcRequest } from './rpc-endpoint.ts'

/** Calls to a Nano node: addresses and hashes in, exact amounts out. Each call may throw a node error. */
export interface NodeClient {
  /** Returns undefined if the account has no block yet. */
  accountInfo(account: string): Promise<AccountInfo | undefined>
  /** Lists confirmed sends that the account has not received yet, largest first, none below `threshold`. */
  receivable(account: string, threshold: bigint): Promise<Receivable[]>
  /** The same for many accounts in one request, each with its own threshold. Accounts without receivables are omitted. */
  receivableOfMany(wanted: readonly Wanted[]): Promise<ReadonlyMap<string, readonly Receivable[]>>
  blockInfo(hash: string): Promise<BlockInfo | undefined>
  /** Returns the blocks that the node knows. */
  blocksInfo(hashes: readonly string[]): Promise<ReadonlyMap<string, BlockInfo>>
  accountHistory(account: string, options: { count: number; head?: string }): Promise<AccountHistory>
  /** Publishes a block. Failures of the node or the network are returned as outcomes, not thrown. */
  process(block: StateBlock): Promise<ProcessOutcome>
  /** Has the node compute work, and verifies it. */
  generateWork(root: string, threshold: bigint, options?: CallOptions): Promise<string>
  /** Throws unless some node replies. */
  verify(): Promise<void>
}

/** An account, and the threshold below which money is dust. */
export interface Wanted {
  readonly account: string
  readonly threshold: bigint
}

// If this limit were reached, something would be hidden. It is far above what is ever needed, since dust is excluded.
const maxReceivables = 1_000
// The limit for one account among many. If it is reached, that account is requested alone.
const maxOfEach = 32

/** Makes one client of one or more nodes. The first is used; the others take over if it fails. */
export function createNodeClient(endpoints: readonly RpcEndpoint[]): NodeClient {
  const call = <T>(request: RpcRequest, schema: z.ZodType<T>, options?: CallOptions, rounds = 2): Promise<T> =>
    withFailover(endpoints, (endpoint) => endpoint.call(request, schema, options), { rounds, signal: options?.signal })

  const unless = async <T>(reason: string, reply: Promise<T>): Promise<T | undefined> => {
    try {
      return await reply
    } catch (error) {
      if (error instanceof NodeRefusal && error.message === reason) return undefined
      throw error
    }
  }

  const receivable = (account: string, threshold: bigint): Promise<Receivable[]> =>
    call({ action: 'receivable', account, ...receivableTerms(threshold, maxReceivables) }, receivableAtLeast(threshold))

  return {
    accountInfo: (account) =>
      unless(
        'Account not found',
        call({ action: 'account_info', account, representative: 'true', include_confirmed: 'true' }, AccountInfo),
      ),

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

    blockInfo: (hash) =>
      unless('Block not found', call({ action: 'block_info', hash, json_block: 'true' }, blockInfoFor(hash))),

    async blocksInfo(hashes) {
      if (hashes.length === 0) return new Map()
      const request = { action: 'blocks_info', hashes, json_block: 'true', include_not_found: 'true' }
      return call(request, blockInfosFor(hashes))
    },

    async accountHistory(account, { count, head }) {
      const request = { action: 'account_history', account, count: String(count), ...(head && { head }) }
      return (await unless('Account not found', call(request, AccountHistory))) ?? { entries: [], next: undefined }
    },

    async process(block) {
      const hash = hashBlock(block)
      const schema = z.object({ hash: Hash.refine((text) => text === hash, 'is another block') })
      // No subtype: with one, a node that already has the block would call it invalid instead of old.
      const request = { action: 'process', json_block: 'true', block }
      let doubt: Error | undefined
      let last: Error | undefined
      for (const endpoint of endpoints) {
        try {
          await endpoint.call(request, schema)
          return { kind: 'accepted', hash }
        } catch (error) {
          if (error instanceof NodeRefusal) {
            const outcome = refusedOutcome(error.message, hash)
            // Another node may have accepted it before this one refused.
            return doubt && outcome.kind !== 'old' ? { kind: 'uncertain', hash, cause: doubt.message } : outcome
          }
          last = error as Error
          if (!(error instanceof NodeUnreachable) || error.mayHaveHeard) doubt ??= last
        }
      }
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

    async verify() {
      await call({ action: 'version' }, Version)
    },
  }
}

const receivableTerms = (threshold: bigint, count: number) => ({
  threshold: String(threshold),
  count: String(count),
  source: 'true',
  sorting: 'true',
  include_only_confirmed: 'true',
})
