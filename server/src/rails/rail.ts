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
 * How one asset is paid. Nano and Base implement it (`rails.ts`); nothing else asks which asset it deals with. Payments
 * writes a payment down and commits before it calls `settle`. A settlement that is uncertain has not failed: `lookAgain`
 * asks the chain, never the payer.
 */
export interface Rail<A extends Asset> {
  readonly asset: A
  readonly network: Network<A>
  /**
   * Money passes through an address of ours, which takes commission and sends back what cannot buy. Otherwise it goes
   * straight from the payer to the author.
   */
  readonly isCustodial: boolean
  /** The column that says whether an author can be paid on this rail. */
  readonly receives: 'receives_nano' | 'receives_base'
  /** What there is of the asset at most: no price can be more. */
  readonly most: Amount<A> | null
  /** What a wallet must know to sign a payment, as x402 requirements say it. */
  readonly signingDomain: Readonly<Record<string, string>>
  /** The nonce of a payment is also the name of its transaction, known before it is sent. */
  readonly isNamedByNonce: boolean
  /** The smallest price of a post, and of one with a ZIP, pending or ready. Null: there is none. */
  readonly minimum: { readonly post: Amount<A>; readonly postWithZip: Amount<A> } | null
  /** Whether this service is set up for new payments. */
  isOn(services: Pick<RailServices, 'base'>): boolean
  /** The asset in x402 requirements: `XNO`, or the token's contract. */
  assetName(services: Pick<RailServices, 'config'>): string
  /** Where a payment under an offer goes. */
  offer(services: Pick<RailServices, 'keyring'>, terms: OfferTerms): OfferedPlace
  /** Reads a presented payment without asking a chain. Undefined: it is malformed. */
  recognize(payload: unknown, offer: PaymentTerms<A>): Recognized | Refusal | undefined
  /** Asks the chain whether a presented payment would go through, or was sent already. Changes nothing. */
  check(services: RailServices, payload: unknown, offer: PaymentTerms<A>): Promise<Checked>
  /** Makes a written payment final, with the same signed bytes on every try. */
  settle(services: RailServices, payment: WrittenPayment<A>): Promise<Settlement>
  /** Finds out what became of a payment that was tried before, and sends again what got lost. */
  lookAgain(services: RailServices, payment: WrittenPayment<A>): Promise<Settlement>
}

export interface OfferTerms {
  /** Unique to the offer. */
  readonly nonce: string
  /** The author's address. */
  readonly recipient: string
}

export interface OfferedPlace {
  readonly payTo: string
  /** How the key of `payTo` follows from our seed; null where it is the author's own address. */
  readonly derivation: string | null
}

/** What an offer asks for. */
export interface PaymentTerms<A extends Asset> {
  readonly amount: Amount<A>
  readonly payTo: string
  /** In our own words, never those a client echoes. */
  readonly requirements: PaymentRequirements
  /** For catalogs, where the post is to be listed. */
  readonly listing?: Listing | undefined
}

/** What a facilitator that keeps a catalog is told about a post. */
export type Listing = Required<Pick<PaymentPayload, 'resource' | 'extensions'>>

/** Why a payment is not taken, in x402's words. */
export interface Refusal {
  readonly reason: string
}

export interface Recognized {
  /** What makes it the same payment: a block's hash, or an authorization's nonce. Never a signature: those vary. */
  readonly nonce: string
  /** Undefined: only the chain knows. */
  readonly payer: string | undefined
  /** Whether a stored proof is of exactly this payload. */
  isSame(proof: unknown): boolean
}

export type Checked = Payable | NotPayable | { readonly kind: 'unavailable' }

export interface Payable {
  readonly kind: 'payable'
  readonly payer: string
  readonly nonce: string
  /** The payer has sent it already. */
  readonly isSent: boolean
  /** What is stored, so that every try presents the same bytes. */
  readonly proof: object
  /** Nano: the block it stands on. One payment at a time is under way on each. */
  readonly previous: string | null
  /** USDC: when the authorization ends (Unix seconds), and a block in which it was not used yet. */
  readonly validBefore: bigint | null
  readonly seenAtBlock: bigint | null
  /** USDC: what its transaction is to be sent with, where trying it has shown that. */
  readonly gas?: bigint | undefined
}

export interface NotPayable extends Refusal {
  readonly kind: 'invalid'
  /** The money is on an address of ours all the same, and has to go back. */
  readonly isStray?: boolean | undefined
  /** The payer lacks the money. It may have gone into an earlier payment for the same post. */
  readonly withoutMoney?: { readonly payer: string; isSigned(): Promise<boolean> } | undefined
}
