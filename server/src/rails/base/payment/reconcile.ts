import type { ChainClient } from '../rpc/chain-client.ts'
import { runOut, type Token } from './authorization.ts'
import { findEvidence } from './evidence.ts'
import type { Settlement, WrittenAuthorization } from './facilitator.ts'

const alreadyUsed = 'invalid_exact_evm_nonce_already_used'

/**
 * The settlement that the chain shows.
 * @param reasonWhenOpen why it did not go through, where that is known; without it an unused authorization is uncertain.
 */
export async function reconciled(
  chain: ChainClient,
  token: Token,
  payment: WrittenAuthorization,
  reasonWhenOpen?: string,
): Promise<Settlement> {
  const evidence = await findEvidence(chain, token, payment)
  const last = payment.transactions.at(-1)?.hash
  switch (evidence.kind) {
    case 'paid':
      return { kind: 'settled', transaction: evidence.transaction, payer: payment.payer }
    case 'cancelled':
    case 'spent-otherwise':
      return { kind: 'refused', reason: alreadyUsed, isFinal: true }
    case 'expired':
      return { kind: 'refused', reason: runOut, isFinal: true }
    case 'failed':
      return { kind: 'refused', reason: reasonWhenOpen ?? 'invalid_exact_evm_transaction_failed', isFinal: false }
    case 'unseen':
      return {
        kind: 'uncertain',
        transaction: last,
        cause: 'the authorization is spent; no node shows by which transaction',
      }
    case 'open':
      // One node calls it used and another does not: they are at different blocks.
      return reasonWhenOpen === undefined || reasonWhenOpen === alreadyUsed || last !== undefined
        ? { kind: 'uncertain', transaction: last, cause: 'the authorization is not used yet' }
        : { kind: 'refused', reason: reasonWhenOpen, isFinal: false }
  }
}
