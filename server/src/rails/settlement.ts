import type { Amount, Asset } from '@pennypost/contract/money'
import type { Hex } from './base/rpc/chain-replies.ts'

/** A payment as it was stored before anything was sent. */
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
  /** Our transactions for it, in the order they were signed. Of a remote facilitator's, only the hash is known. */
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
 * - `arrived`: the money reached one of our addresses. `arrivals` is everything there that is not recorded yet, with this.
 * - `settled`: the money reached the author with this transaction, which someone else may have sent.
 * - `refused`: no money moved. Unless this is final, the authorization is still valid, and anyone might use it.
 * - `spentWei`: what our own mined transactions for it have cost.
 * - `uncertain`: not known yet. Check again; never ask for another payment. Without a transaction, none was signed.
 */
export type Settlement =
  | { readonly kind: 'arrived'; readonly arrivals: readonly Arrival[] }
  | { readonly kind: 'settled'; readonly transaction: string; readonly payer: string; readonly spentWei?: bigint }
  | { readonly kind: 'refused'; readonly reason: string; readonly isFinal: boolean; readonly spentWei?: bigint }
  | { readonly kind: 'uncertain'; readonly transaction: string | undefined; readonly cause: string }

/** One of our transactions, signed but not yet broadcast. */
export interface SignedTransaction {
  readonly hash: string
  /** The bytes. Broadcasting them again is always harmless. */
  readonly raw: Hex
  readonly signer: string
  /** The nonce of the signer, not of the authorization. */
  readonly nonce: number
  /** The hash of an earlier transaction for this payment with the same nonce and a lower fee. At most one is mined. */
  readonly replaces?: string
}

/**
 * Stores a signed transaction and commits. (signer, nonce) is unique: if another transaction, perhaps of another process,
 * already has the nonce, this returns the bytes of that one, or undefined if they are not available. A second transaction
 * for one payment is stored next to the first, whether or not it `replaces` it. If this throws, nothing was broadcast.
 */
export type Store = (transaction: SignedTransaction) => Promise<'stored' | { readonly takenBy: Hex | undefined }>

/** Money that arrived at one of our addresses. */
export interface Arrival {
  readonly hash: string
  readonly addressId: string
  readonly address: string
  readonly amount: Amount<'XNO'>
  readonly source: string
}
