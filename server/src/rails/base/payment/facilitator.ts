import type { Amount } from '@pennypost/contract/money'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import type { Settlement as RailSettlement, Store, WrittenTransaction } from '../../settlement.ts'
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
  reconcile(written: WrittenAuthorization, store: Store): Promise<Settlement>
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

/** What became of a payment: it goes straight to its author, so it never arrives at an address of ours. */
export type Settlement = Exclude<RailSettlement, { kind: 'arrived' }>

export interface SettleOptions {
  /** From the verdict. What was paid before it does not count. */
  readonly seenAtBlock: bigint | undefined
  /** From the verdict of a moment ago: nothing is tried once more. */
  readonly gas?: bigint | undefined
  /** Commits the transaction before it is handed over. See `Store`. */
  readonly store: Store
}

/** A written transaction, with its receipt where that was read a moment ago. */
interface KnownTransaction extends WrittenTransaction {
  readonly receipt?: Receipt
}

/** What the caller wrote down of an authorization. */
export interface WrittenAuthorization {
  readonly payer: string
  readonly nonce: Hex
  readonly payTo: string
  readonly amountAtomic: Amount<'USDC'>
  readonly validBefore: bigint
  readonly seenAtBlock: bigint | undefined
  /** In the order they were signed. */
  readonly transactions: readonly KnownTransaction[]
}
