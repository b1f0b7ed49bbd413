import type { Amount, Asset, networkOf } from '@pennypost/contract/money'
import type { PaymentRequirements } from '@pennypost/contract/x402'
import type { PaymentPayload } from '@x402/core/types'
import type { RailServices } from './services.ts'
import type { Settlement, WrittenPayment } from './settlement.ts'

export type Network<A extends Asset = Asset> = (typeof networkOf)[A]

/** A wallet, as its network spells it. */
export interface Wallet {
  readonly network: Network
  readonly address: string
}

/**
 * How one asset is paid. Nano and Base implement it (`rails.ts`); no other code needs to know the asset. Payments
 * stores a payment and commits before it calls `settle`. An uncertain settlement has not failed: `reconcile` checks the
 * chain and never asks the payer to pay again.
 */
export interface Rail<A extends Asset> {
  readonly asset: A
  readonly network: Network<A>
  /**
   * Money passes through one of our addresses, where we take commission and send back what cannot buy. Otherwise it goes
   * straight from the payer to the author.
   */
  readonly isCustodial: boolean
  /** How a wallet that pays with this asset signs in. */
  readonly walletKind: 'nano' | 'evm'
  /** The column that says whether an author can be paid on this rail. */
  readonly receives: 'receives_nano' | 'receives_base'
  /** The total supply of the asset. No price can be higher. */
  readonly totalSupply: Amount<A> | null
  /** What a wallet needs to know to sign a payment: `extra` in x402 requirements. */
  readonly signingDomain: Readonly<Record<string, string>>
  /** Whether the nonce of a payment is also the hash of its transaction, known before it is sent. */
  readonly isNamedByNonce: boolean
  /** The smallest price of a post, and of one with a ZIP, pending or ready. Null if there is no minimum. */
  readonly minimum: { readonly post: Amount<A>; readonly postWithZip: Amount<A> } | null
  /** The asset in x402 requirements: `XNO`, or the token's contract. */
  assetName(services: Pick<RailServices, 'config'>): string
  /** The address that a payment under an offer goes to. */
  offer(services: Pick<RailServices, 'addresses'>, terms: OfferTerms): Promise<OfferedPlace>
  /** Reads a presented payment without calling the chain. Returns undefined if it is malformed. */
  recognize(payload: unknown, offer: PaymentTerms<A>): Recognized | Refusal | undefined
  /** Checks on the chain whether a presented payment would succeed or was already sent. Changes nothing. */
  check(services: RailServices, payload: unknown, offer: PaymentTerms<A>): Promise<Checked>
  /** Makes a written payment final, with the same signed bytes on every try. */
  settle(services: RailServices, payment: WrittenPayment<A>): Promise<Settlement>
  /** Finds out what happened to a payment that was tried before, and sends a lost one again. */
  reconcile(services: RailServices, payment: WrittenPayment<A>): Promise<Settlement>
}

export interface OfferTerms {
  /** Unique to the offer. */
  readonly nonce: string
  /** The author's address. */
  readonly recipient: string
}

export interface OfferedPlace {
  readonly payTo: string
  /** How the key of `payTo` is derived from our seed. Null if `payTo` is the author's address. */
  readonly derivation: string | null
}

/** The terms of an offer. */
export interface PaymentTerms<A extends Asset> {
  readonly amount: Amount<A>
  readonly payTo: string
  /** Our own requirements, not the copy that a client echoes. */
  readonly requirements: PaymentRequirements
  /** For catalogs, if the post is to be listed. */
  readonly listing?: Listing | undefined
}

/** The description of a post for a facilitator with a catalog. */
export type Listing = Required<Pick<PaymentPayload, 'resource' | 'extensions'>>

/** Why a payment is refused: an x402 reason. */
export interface Refusal {
  readonly reason: string
}

export interface Recognized {
  /** What makes it the same payment: a block's hash, or an authorization's nonce. Never a signature: those vary. */
  readonly nonce: string
  /** Undefined if only the chain knows. */
  readonly payer: string | undefined
  /** Whether a stored proof is exactly this payload. */
  isSame(proof: unknown): boolean
}

export type Checked = Payable | NotPayable | { readonly kind: 'unavailable' }

export interface Payable {
  readonly kind: 'payable'
  readonly payer: string
  readonly nonce: string
  /** Whether the payer has already sent it. */
  readonly isSent: boolean
  /** What is stored, so that every try presents the same bytes. */
  readonly proof: object
  /** Nano: the previous block. Only one payment at a time can follow it. */
  readonly previous: string | null
  /** USDC: when the authorization expires (Unix seconds), and a block at which it was not used yet. */
  readonly validBefore: bigint | null
  readonly seenAtBlock: bigint | null
  /** USDC: the gas limit of its transaction, if we pay for it, and whether the payer's own code checks its signatures. */
  readonly gas?: bigint | undefined
  readonly isContract?: boolean | undefined
}

export interface NotPayable extends Refusal {
  readonly kind: 'invalid'
  /** Whether the money is at one of our addresses anyway and has to be sent back. */
  readonly isStray?: boolean | undefined
  /** The payer lacks the money. It may have gone into an earlier payment for the same post. */
  readonly withoutMoney?: { readonly payer: string; isSigned(): Promise<boolean> } | undefined
}
