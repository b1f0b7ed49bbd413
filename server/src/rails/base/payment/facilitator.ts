import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import type { Hex, Receipt } from '../rpc/chain-answers.ts'

/** Verifies and settles payments in USDC, by our own key or through somebody else's service. */
export interface Facilitator {
  /** Whether this payment would go through now. Looks, changes nothing. */
  verify(proof: PaymentProof): Promise<Verdict>
  /**
   * Makes the payment. Only for one that `verify` found valid and that the caller has written down under
   * (network, asset, payer, nonce), committed. Never throws for what the chain did: the settlement says it.
   */
  settle(proof: PaymentProof, options: SettleOptions): Promise<Settlement>
  /**
   * What became of a payment that was written down: reads the chain, and hands over again what got lost. What is stuck is
   * signed once more with a higher fee and the same nonce, stored, and handed over beside it.
   */
  reconcile(written: WrittenPayment, store: Store): Promise<Settlement>
  /** Throws while payments cannot be settled. */
  check(): Promise<void>
}

/** What a reader presents, and what we asked for: our own words, never those the reader echoes. */
export interface PaymentProof {
  readonly payload: PaymentPayload
  readonly requirements: PaymentRequirements
}

export type Verdict =
  | {
      readonly kind: 'valid'
      /** Checksummed. */
      readonly payer: string
      /** With the payer, the name of this payment on the chain: usable once. */
      readonly nonce: Hex
      readonly validBefore: bigint
      /** The payment had not been made in this block yet. Undefined where no chain can be asked. */
      readonly seenAtBlock: bigint | undefined
      /** What its transaction is to be sent with, where trying it has shown that. */
      readonly gas?: bigint | undefined
    }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly cause: string }

/**
 * - `settled`: the money arrived, by this transaction (which may be a stranger's).
 * - `refused`: it did not. While it is not final, the authorization is still good, and somebody might use it yet.
 * - `uncertain`: nobody knows. Reconcile; never ask to pay again. Without a transaction none was signed.
 */
export type Settlement =
  | { readonly kind: 'settled'; readonly transaction: string; readonly payer: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly isFinal: boolean }
  | { readonly kind: 'uncertain'; readonly transaction: string | undefined; readonly cause: string }

export interface SettleOptions {
  /** From the verdict. What was paid before it does not count. */
  readonly seenAtBlock: bigint | undefined
  /** From the verdict of a moment ago: nothing is tried once more. */
  readonly gas?: bigint | undefined
  /** Commits the transaction before it is handed over. See `Store`. */
  readonly store: Store
}

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
 * Writes a signed transaction down and commits. Unique on (signer, nonce): where another transaction, perhaps of another
 * process, has the nonce already, it answers that one's bytes, or nothing where they are not at hand. A second
 * transaction for one payment is kept beside the first, whether it `replaces` that or not. If it throws, nothing was handed over.
 */
export type Store = (transaction: SignedTransaction) => Promise<'stored' | { readonly takenBy: Hex | undefined }>

/** One that may make the payment. A remote facilitator's is known by its hash alone. */
interface WrittenTransaction {
  readonly hash: string
  readonly raw?: Hex | undefined
  readonly signer?: string | undefined
  readonly signedAt?: Date | undefined
  /** Where it was read a moment ago. */
  readonly receipt?: Receipt
}

/** What the caller wrote down of a payment. */
export interface WrittenPayment {
  readonly payer: string
  readonly nonce: Hex
  readonly payTo: string
  readonly amountAtomic: bigint
  readonly validBefore: bigint
  readonly seenAtBlock: bigint | undefined
  /** In the order they were signed. */
  readonly transactions: readonly WrittenTransaction[]
}
