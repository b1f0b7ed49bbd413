import { runOut } from '../base-rail.ts'
import type { ChainClient } from '../rpc/chain-client.ts'
import type { ChainLog } from '../rpc/chain-replies.ts'
import { ChainRefusal } from '../rpc/rpc-endpoint.ts'
import type { Settlement, Token, WrittenAuthorization } from './facilitator.ts'
import { isCancellation, isSpent, showPayment, spentTopics } from './usdc-token.ts'

/**
 * The evidence of the chain about a payment.
 * - `paid`: by this transaction, which someone else may have sent.
 * - `cancelled`, `spent-otherwise`: the authorization is gone and did not bring the money. This is final.
 * - `expired`: it was never used, and can no longer be. This is final.
 * - `open`: it has not been used yet. `failed`: the same, and all our transactions have failed.
 * - `unseen`: it was used, but no node shows by which transaction yet. Check again later.
 */
type Evidence =
  | { readonly kind: 'paid'; readonly transaction: string }
  | { readonly kind: 'cancelled' | 'spent-otherwise' | 'expired' | 'open' | 'failed' | 'unseen' }

/** The cost of our mined transactions, in wei. */
interface Spent {
  readonly spentWei: bigint
}

/** A block this old is no longer affected by reorganizations. */
const settledSeconds = 60n
const maxBlocksAtOnce = 1_000n
const fewestBlocksAtOnce = 5n

/** Reads the chain. Throws a node error if it cannot. */
export async function findEvidence(
  chain: ChainClient,
  token: Token,
  payment: WrittenAuthorization,
): Promise<Evidence & Spent> {
  let failed = 0
  let spentWei = 0n
  for (const { hash, receipt: known } of payment.transactions) {
    const receipt = known ?? (await chain.receipt(hash))
    spentWei += receipt?.fee ?? 0n
    if (receipt?.isSuccess && showPayment(receipt.logs, token, payment))
      return { kind: 'paid', transaction: hash, spentWei }
    if (receipt) failed += 1
  }
  // State and time are read from one block, because nodes behind one URL may be at different blocks.
  const block = await chain.newestBlock()
  if (await isSpent(chain, token, payment, block.number))
    return { ...(await howSpent(chain, token, payment, block.number)), spentWei }
  // The token requires a block before `validBefore`, and there will be none.
  if (block.timestamp >= payment.validBefore + settledSeconds) return { kind: 'expired', spentWei }
  return { kind: failed > 0 && failed === payment.transactions.length ? 'failed' : 'open', spentWei }
}

async function howSpent(
  chain: ChainClient,
  token: Token,
  payment: WrittenAuthorization,
  upToBlock: bigint,
): Promise<Evidence> {
  if (payment.seenAtBlock === undefined) return { kind: 'unseen' }
  // An authorization that was used before we saw it unused does not count: used ones are public, and anyone can present them.
  const log = await findSpending(chain, token, payment, payment.seenAtBlock + 1n, upToBlock)
  if (!log) return { kind: 'unseen' }
  if (isCancellation(log)) return { kind: 'cancelled' }
  const receipt = await chain.receipt(log.transactionHash)
  if (!receipt?.isSuccess) return { kind: 'unseen' }
  return showPayment(receipt.logs, token, payment)
    ? { kind: 'paid', transaction: log.transactionHash }
    : { kind: 'spent-otherwise' }
}

/** Some providers limit how many blocks a query covers: if one refuses, a smaller range is tried. */
async function findSpending(
  chain: ChainClient,
  token: Token,
  payment: WrittenAuthorization,
  fromBlock: bigint,
  upToBlock: bigint,
): Promise<ChainLog | undefined> {
  const topics = spentTopics(payment)
  let atOnce = maxBlocksAtOnce
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

const alreadyUsed = 'invalid_exact_evm_nonce_already_used'

/**
 * The settlement that the chain shows.
 * @param reasonWhenOpen why it failed, if that is known. Without it, an unused authorization is uncertain.
 */
export async function reconciled(
  chain: ChainClient,
  token: Token,
  payment: WrittenAuthorization,
  reasonWhenOpen?: string,
): Promise<Settlement> {
  const { spentWei, ...evidence } = await findEvidence(chain, token, payment)
  const spent = spentWei > 0n ? { spentWei } : {}
  const last = payment.transactions.at(-1)?.hash
  switch (evidence.kind) {
    case 'paid':
      return { kind: 'settled', transaction: evidence.transaction, payer: payment.payer, ...spent }
    case 'cancelled':
    case 'spent-otherwise':
      return { kind: 'refused', reason: alreadyUsed, isFinal: true, ...spent }
    case 'expired':
      return { kind: 'refused', reason: runOut, isFinal: true, ...spent }
    case 'failed':
      return {
        kind: 'refused',
        reason: reasonWhenOpen ?? 'invalid_exact_evm_transaction_failed',
        isFinal: false,
        ...spent,
      }
    case 'unseen':
      return {
        kind: 'uncertain',
        transaction: last,
        cause: 'the authorization is spent; no node shows by which transaction',
      }
    case 'open':
      // One node reports it as used and another does not, because they are at different blocks.
      return reasonWhenOpen === undefined || reasonWhenOpen === alreadyUsed || last !== undefined
        ? { kind: 'uncertain', transaction: last, cause: 'the authorization is not used yet' }
        : { kind: 'refused', reason: reasonWhenOpen, isFinal: false, ...spent }
  }
}
