import type { ChainLog } from '../rpc/chain-answers.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import { ChainRefusal } from '../rpc/rpc-endpoint.ts'
import type { Token } from './authorization.ts'
import type { WrittenAuthorization } from './facilitator.ts'
import { isCancellation, isSpent, showPayment, spentTopics } from './token-state.ts'

/**
 * What the chain says about a payment.
 * - `paid`: by this transaction, whoever sent it.
 * - `cancelled`, `spent-otherwise`: the authorization is gone, and the money did not come from it. For good.
 * - `expired`: it was never used, and cannot be any more. For good.
 * - `open`: nobody has used it yet. `failed`: the same, and all transactions of ours have failed.
 * - `unseen`: it is spent, and no node shows by what. Look again later.
 */
export type Evidence =
  | { readonly kind: 'paid'; readonly transaction: string }
  | { readonly kind: 'cancelled' | 'spent-otherwise' | 'expired' | 'open' | 'failed' | 'unseen' }

/** A block as old as this is not taken back. */
const settledSeconds = 60n
const mostBlocksAtOnce = 1_000n
const fewestBlocksAtOnce = 5n

/** Reads the chain. Throws a node error where it cannot. */
export async function findEvidence(chain: ChainClient, token: Token, payment: WrittenAuthorization): Promise<Evidence> {
  let failed = 0
  for (const { hash, receipt: known } of payment.transactions) {
    const receipt = known ?? (await chain.receipt(hash))
    if (receipt?.isSuccess && showPayment(receipt.logs, token, payment)) return { kind: 'paid', transaction: hash }
    if (receipt) failed += 1
  }
  // State and time of one block: nodes behind one address may be at different ones.
  const block = await chain.newestBlock()
  if (await isSpent(chain, token, payment, block.number)) return howSpent(chain, token, payment, block.number)
  // The token wants a block before `validBefore`; from here on there is none.
  if (block.timestamp >= payment.validBefore + settledSeconds) return { kind: 'expired' }
  return { kind: failed > 0 && failed === payment.transactions.length ? 'failed' : 'open' }
}

async function howSpent(
  chain: ChainClient,
  token: Token,
  payment: WrittenAuthorization,
  upToBlock: bigint,
): Promise<Evidence> {
  if (payment.seenAtBlock === undefined) return { kind: 'unseen' }
  // What was spent before we saw it unspent is not this payment: used authorizations are public, anybody presents them.
  const log = await findSpending(chain, token, payment, payment.seenAtBlock + 1n, upToBlock)
  if (!log) return { kind: 'unseen' }
  if (isCancellation(log)) return { kind: 'cancelled' }
  const receipt = await chain.receipt(log.transactionHash)
  if (!receipt?.isSuccess) return { kind: 'unseen' }
  return showPayment(receipt.logs, token, payment)
    ? { kind: 'paid', transaction: log.transactionHash }
    : { kind: 'spent-otherwise' }
}

/** Some providers show few blocks at a time: where one refuses, fewer are asked for. */
async function findSpending(
  chain: ChainClient,
  token: Token,
  payment: WrittenAuthorization,
  fromBlock: bigint,
  upToBlock: bigint,
): Promise<ChainLog | undefined> {
  const topics = spentTopics(payment)
  let atOnce = mostBlocksAtOnce
  for (let first = fromBlock; first <= upToBlock; ) {
    const last = first + atOnce - 1n < upToBlock ? first + atOnce - 1n : upToBlock
    try {
      const [log] = await chain.logs({ address: token.address, topics, fromBlock: first, toBlock: last })
      if (log) return log
      first = last + 1n
    } catch (error) {
      if (!(error instanceof ChainRefusal) || atOnce <= fewestBlocksAtOnce) throw error
      atOnce /= 4n
    }
  }
  return undefined
}
