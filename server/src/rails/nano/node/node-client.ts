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
} from './node-answers.ts'
import { type ProcessOutcome, refusedOutcome } from './process-outcome.ts'
import type { AskOptions, Question, RpcEndpoint } from './rpc-endpoint.ts'

/** Calls to a Nano node: addresses and hashes in, exact amounts out. Each call may throw a node error. */
export interface NodeClient {
  /** Undefined while the account has no block. */
  accountInfo(account: string): Promise<AccountInfo | undefined>
  /** Confirmed sends to the account that it has not received: the largest first, none below `threshold`. */
  receivable(account: string, threshold: bigint): Promise<Receivable[]>
  /** The same for many accounts, each with its own threshold, in one request. Accounts without receivables are left out. */
  receivableOfMany(wanted: readonly Wanted[]): Promise<ReadonlyMap<string, readonly Receivable[]>>
  blockInfo(hash: string): Promise<BlockInfo | undefined>
  /** The blocks that the node knows. */
  blocksInfo(hashes: readonly string[]): Promise<ReadonlyMap<string, BlockInfo>>
  accountHistory(account: string, options: { count: number; head?: string }): Promise<AccountHistory>
  /** Publishes a block. Never throws for what the node or the network did: the outcome says it. */
  process(block: StateBlock): Promise<ProcessOutcome>
  /** Work from the node itself; checked. */
  generateWork(root: string, threshold: bigint, options?: AskOptions): Promise<string>
  /** Throws unless some node replies. */
  verify(): Promise<void>
}

/** An account, and the threshold below which money is dust. */
export interface Wanted {
  readonly account: string
  readonly threshold: bigint
}

// A reached limit would hide something, so it is far above what is ever needed; the threshold keeps dust out.
const mostReceivables = 1_000
// For one account among many. If this limit is reached, that account is asked about alone.
const mostOfEach = 32

/** One or more nodes as one client: the first that replies counts, the others are spares. */
export function createNodeClient(endpoints: readonly RpcEndpoint[]): NodeClient {
  const ask = <T>(question: Question, answer: z.ZodType<T>, options?: AskOptions, rounds = 2): Promise<T> =>
    withFailover(endpoints, (endpoint) => endpoint.ask(question, answer, options), { rounds, signal: options?.signal })

  const unless = async <T>(reason: string, answer: Promise<T>): Promise<T | undefined> => {
    try {
      return await answer
    } catch (error) {
      if (error instanceof NodeRefusal && error.message === reason) return undefined
      throw error
    }
  }

  const receivable = (account: string, threshold: bigint): Promise<Receivable[]> =>
    ask({ action: 'receivable', account, ...receivableTerms(threshold, mostReceivables) }, receivableAtLeast(threshold))

  return {
    accountInfo: (account) =>
      unless(
        'Account not found',
        ask({ action: 'account_info', account, representative: 'true', include_confirmed: 'true' }, AccountInfo),
      ),

    receivable,

    async receivableOfMany(wanted) {
      const accounts = wanted.map(({ account }) => account)
      const least = wanted.reduce(
        // biome-ignore lint/complexity/useMathMinMax: it cannot compare bigints
        (low, { threshold }) => (threshold < low ? threshold : low),
        wanted[0]!.threshold,
      )
      const question = { action: 'accounts_receivable', accounts, ...receivableTerms(least, mostOfEach) }
      const listed = await ask(question, receivablesAtLeast(least, new Set(accounts)))
      const found = new Map<string, Receivable[]>()
      for (const { account, threshold } of wanted) {
        const blocks = listed.get(account) ?? []
        // Here a node counts before it sorts: if it reached the limit, dust may hide the largest amount.
        const isWhole = blocks.length < mostOfEach
        const there = isWhole
          ? blocks.filter(({ amount }) => amount >= threshold)
          : await receivable(account, threshold)
        if (there.length > 0) found.set(account, there)
      }
      return found
    },

    blockInfo: (hash) =>
      unless('Block not found', ask({ action: 'block_info', hash, json_block: 'true' }, blockInfoFor(hash))),

    async blocksInfo(hashes) {
      if (hashes.length === 0) return new Map()
      const question = { action: 'blocks_info', hashes, json_block: 'true', include_not_found: 'true' }
      return ask(question, blockInfosFor(hashes))
    },

    async accountHistory(account, { count, head }) {
      const question = { action: 'account_history', account, count: String(count), ...(head && { head }) }
      return (await unless('Account not found', ask(question, AccountHistory))) ?? { entries: [], next: undefined }
    },

    async process(block) {
      const hash = hashBlock(block)
      const answer = z.object({ hash: Hash.refine((text) => text === hash, 'is another block') })
      // Without a subtype: with one, a node that has the block already calls it invalid instead of old.
      const question = { action: 'process', json_block: 'true', block }
      let doubt: Error | undefined
      let last: Error | undefined
      for (const endpoint of endpoints) {
        try {
          await endpoint.ask(question, answer)
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
      const answer = z
        .object({ work: z.string() })
        .refine(({ work }) => isWorkEnough(root, work, threshold), 'the work is not enough')
        .transform(({ work }) => work.toLowerCase())
      // Only one try: the caller can compute it too, and should start soon.
      return ask({ action: 'work_generate', hash: root, difficulty: formatWork(threshold) }, answer, options, 1)
    },

    async verify() {
      await ask({ action: 'version' }, Version)
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
