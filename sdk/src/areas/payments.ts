import type { Asset } from '../amounts.ts'
import type { Context } from '../context.ts'
import { PennypostError } from '../errors.ts'
import type { Payment, PayOptions } from '../payments/payer.ts'
import type { SavedPayment } from '../payments/payment-records.ts'
import { type VerifiedReceipt, verifyReceipt } from '../payments/receipt.ts'

/** A payment whose outcome is not known yet. */
export interface OpenPayment {
  readonly key: string
  readonly operation: string
  readonly asset: Asset
  readonly units: string
  readonly payer: string
  readonly signedAt: string
}

export type ResumedPayment =
  | { readonly key: string; readonly outcome: 'paid'; readonly payment: Payment }
  /** `refused`: you were not charged. `uncertain`: try again later. */
  | { readonly key: string; readonly outcome: 'refused' | 'uncertain'; readonly error: PennypostError }

/** Payments that this client signed, and what it has spent. */
export class Payments {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** The amount that was spent in the period of the spending limit, in whole coins. */
  spent(): Promise<Record<Asset, string>> {
    return this.#context.spending.spent()
  }

  /** Payments to this service whose outcome is not known, oldest first. */
  async open(): Promise<OpenPayment[]> {
    const payments = await this.#context.payer.records.open()
    // A store can have payments to other services, which must not be sent to this one.
    const own = payments.filter(({ key }) => key.split(' ')[2] === this.#context.baseUrl)
    return own.map(({ key, operation, asset, units, payer, signedAt }: SavedPayment) => ({
      key,
      operation,
      asset,
      units,
      payer,
      signedAt,
    }))
  }

  /**
   * Finds out what became of payments that were interrupted: sends each of them again, with the same bytes. Call it when
   * your program starts.
   */
  async resume(options: PayOptions = {}): Promise<ResumedPayment[]> {
    const outcomes: ResumedPayment[] = []
    for (const { key } of await this.open()) outcomes.push(await this.#resume(key, options))
    return outcomes
  }

  /** Checks the signature of a receipt, a JWS, with the key that the service publishes. */
  verifyReceipt(jws: string): Promise<VerifiedReceipt> {
    return verifyReceipt(jws, this.#context)
  }

  async #resume(key: string, options: PayOptions): Promise<ResumedPayment> {
    try {
      const { payment } = await this.#context.payer.resume(key, options)
      return { key, outcome: 'paid', payment: payment! }
    } catch (error) {
      if (!(error instanceof PennypostError)) throw error
      return { key, outcome: error.code === 'payment-refused' ? 'refused' : 'uncertain', error }
    }
  }
}
