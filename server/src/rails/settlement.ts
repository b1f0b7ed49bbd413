import type { Amount, Asset } from '@pennypost/contract/money'
import type { Hex } from './base/rpc/chain-answers.ts'

/** What was written down of a payment before anything was sent. */
export interface WrittenPayment<A extends Asset> {
  readonly payer: string
  readonly nonce: string
  readonly payTo: string
  readonly amount: Amount<A>
  readonly proof: unknown
  readonly previous: string | null
  readonly validBefore: bigint | null
  readonly seenAtBlock: bigint | undefined
  readonly gas: bigint | undefined
  /** Our own transactions for it, in the order they were signed. A remote facilitator's is known by its hash alone. */
  readonly transactions: readonly WrittenTransaction[]
  readonly store: Store
}

export interface WrittenTransaction {
  readonly hash: string
  readonly raw?: Hex | undefined
  readonly signer?: string | undefined
  readonly signedAt?: Date | undefined
}

/**
 * - `arrived`: the money came to an address of ours. Listed is what else came there and is not noted yet, this included.
 * - `settled`: the money reached the author, by this transaction (which may be a stranger's).
 * - `refused`: it did not move. While that is not final, the authorization is still good, and somebody might use it.
 * - `uncertain`: nobody knows. Look again; never ask for another payment. Without a transaction none was signed.
 */
export type Settlement =
  | { readonly kind: 'arrived'; readonly arrivals: readonly Arrival[] }
  | { readonly kind: 'settled'; readonly transaction: string; readonly payer: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly isFinal: boolean }
  | { readonly kind: 'uncertain'; readonly transaction: string | undefined; readonly cause: string }

/** A transaction of ours, signed and not yet handed over. */
export interface SignedTransaction {
  readonly hash: string
  /** The bytes. Handing them over again is always harmless. */
  readonly raw: Hex
  readonly signer: string
  /** The signer's, not the authorization's. */
  readonly nonce: number
  /** The hash of one of the same payment that has the same nonce and a lower fee: one of them is mined at most. */
  readonly replaces?: string
}

/**
 * Writes a signed transaction down and commits. (signer, nonce) is unique: where another transaction, perhaps of another
 * process, has the nonce already, the result is that one's bytes, or nothing where they are not at hand. A second
 * transaction for one payment is kept beside the first, whether it `replaces` that or not. If this throws, nothing was
 * handed over.
 */
export type Store = (transaction: SignedTransaction) => Promise<'stored' | { readonly takenBy: Hex | undefined }>

/** Money that came to an address of ours. */
export interface Arrival {
  readonly hash: string
  readonly addressId: string
  readonly address: string
  readonly amount: Amount<'XNO'>
  readonly source: string
}
