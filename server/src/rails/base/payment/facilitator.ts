import type { Amount } from '@pennypost/contract/money'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import type { Settlement as RailSettlement, Store, WrittenTransaction } from '../../settlement.ts'
import type { Hex, Receipt } from '../rpc/chain-answers.ts'

/** Verifies and settles payments in USDC, with our own key or through a remote service. */
export interface Facilitator {
  /** Whether this payment would go through now. Changes nothing. */
  verify(proof: PaymentProof): Promise<Verdict>
  /**
   * Makes the payment. Call it only for a payment that `verify` found valid and that the caller has written down under
   * (network, asset, payer, nonce) and committed. It never throws for what the chain did: the settlement says it.
   */
  settle(proof: PaymentProof, options: SettleOptions): Promise<Settlement>
  /**
   * Finds out what became of a written payment: reads the chain, and sends again what got lost. A stuck transaction is
   * signed once more with a higher fee and the same nonce, stored, and sent as well.
   */
  reconcile(written: WrittenAuthorization, store: Store): Promise<Settlement>
  /** Throws while payments cannot be settled. */
  check(): Promise<void>
}

/** What a reader presents, and what we asked for, in our own words, never those the reader echoes. */
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
      /** A block in which the payment had not been made yet. Undefined where no chain can be asked. */
      readonly seenAtBlock: bigint | undefined
      /** What its transaction is to be sent with, where trying it has shown that. */
      readonly gas?: bigint | undefined
    }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly cause: string }

/** What became of a payment: it goes straight to its author, so it never arrives at an address of ours. */
export type Settlement = Exclude<RailSettlement, { kind: 'arrived' }>

export interface SettleOptions {
  /** From the verdict. What was paid before this block does not count. */
  readonly seenAtBlock: bigint | undefined
  /** From a verdict of a moment ago: then nothing is estimated again. */
  readonly gas?: bigint | undefined
  /** Commits the transaction before it is sent. See `Store`. */
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

/** The token that payments are made in. */
export interface Token {
  readonly network: 'eip155:8453'
  readonly address: Hex
  /** The EIP-712 domain. Wallets sign it: with one letter wrong, no signature fits. */
  readonly name: 'USD Coin'
  readonly version: '2'
}

/** What a payer signed (EIP-3009). Presenting it to the token moves the money, once, whoever presents it. */
export interface Authorization {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
}
