import type { Amount } from '@pennypost/contract/money'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import type { Settlement as RailSettlement, Store, WrittenTransaction } from '../../settlement.ts'
import type { Hex, Receipt } from '../rpc/chain-replies.ts'

/** Verifies and settles payments in USDC, with our own key or through a remote service. */
export interface Facilitator {
  /** Whether this payment would go through now. Changes nothing. */
  verify(proof: PaymentProof): Promise<Verdict>
  /**
   * Makes the payment. Call it only for a payment that `verify` found valid and that the caller has stored under
   * (network, asset, payer, nonce) and committed. Failures of the chain are returned as settlements, not thrown.
   */
  settle(proof: PaymentProof, options: SettleOptions): Promise<Settlement>
  /**
   * Finds out what happened to a written payment: reads the chain, and sends a lost transaction again. A stuck transaction
   * is signed again with a higher fee and the same nonce, stored, and sent as well.
   */
  reconcile(written: WrittenAuthorization, store: Store): Promise<Settlement>
  /** Throws while payments cannot be settled. */
  check(): Promise<void>
  /** The balance that our key had for gas at the last check. Undefined before it, or if someone else pays for the gas. */
  gasWei?(): bigint | undefined
}

/** The payment that a reader presents, with our own requirements, never the copy that the reader echoes. */
export interface PaymentProof {
  readonly payload: PaymentPayload
  readonly requirements: PaymentRequirements
}

type Verdict =
  | {
      readonly kind: 'valid'
      /** Checksummed. */
      readonly payer: string
      /** Together with the payer it identifies the payment on the chain, and can be used once. */
      readonly nonce: Hex
      readonly validBefore: bigint
      /** A block at which the payment had not been made yet. Undefined without a chain. */
      readonly seenAtBlock: bigint | undefined
      /** The gas limit that its transaction was simulated with. Undefined if a remote facilitator pays for the gas. */
      readonly gas?: bigint | undefined
      /** Whether the payer's own code checks its signatures. */
      readonly isContract?: boolean
    }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly cause: string }

/** The outcome of a payment. It goes straight to the author, so it never arrives at one of our addresses. */
export type Settlement = Exclude<RailSettlement, { kind: 'arrived' }>

export interface SettleOptions {
  /** From the verdict. A payment made before this block does not count. */
  readonly seenAtBlock: bigint | undefined
  /** From a recent verdict. Then nothing is estimated again. */
  readonly gas?: bigint | undefined
  /** Commits the transaction before it is sent. See `Store`. */
  readonly store: Store
}

/** A stored transaction, with its receipt if that was read just before. */
interface KnownTransaction extends WrittenTransaction {
  readonly receipt?: Receipt
}

/** An authorization as the caller stored it. */
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

/** The token that payments are made in. */
export interface Token {
  readonly network: 'eip155:8453'
  readonly address: Hex
  /** The EIP-712 domain, which wallets sign. If one letter is wrong, no signature is valid. */
  readonly name: 'USD Coin'
  readonly version: '2'
}

/** An authorization that a payer signed (EIP-3009). Anyone can present it to the token, which moves the money once. */
export interface Authorization {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
}
