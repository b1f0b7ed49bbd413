import type { Wallet } from '../../payments/entitlements/entitlement-store.ts'
import type { Listing } from './bazaar.ts'
import type { PaymentRow } from './payment-store.ts'
import type { Quote } from './quote.ts'

/** A payment with the quote that it accepted. */
export interface Offered {
  readonly quote: Quote
  readonly payload: Readonly<Record<string, unknown>>
  /** What the client calls this payment. */
  readonly identifier: string | undefined
}

export interface Buyer {
  /** Whoever is signed in; they own what is bought, beside the wallet. */
  readonly accountId: string | undefined
  readonly payeeId: string
  readonly checkoutId?: string
  readonly ip: string
  /** For catalogs, where it is to be listed. */
  readonly listing?: Listing | undefined
}

/** Why a payment is none, in the words of x402. */
export interface Refusal {
  readonly reason: string
}

/** What became of a payment. Pending is neither paid nor failed: the same request comes again. */
export type Outcome =
  | { readonly kind: 'settled' | 'pending'; readonly payment: PaymentRow }
  | { readonly kind: 'refused'; readonly reason: string; readonly payment?: PaymentRow }
  /** The wallet that signed has the Post already: it is not charged again. */
  | { readonly kind: 'owned'; readonly wallet: Wallet }

export function outcomeOf(payment: PaymentRow): Outcome {
  if (payment.state === 'settled') return { kind: 'settled', payment }
  if (payment.state === 'settling') return { kind: 'pending', payment }
  return { kind: 'refused', reason: payment.failure!, payment }
}

export const refused = ({ reason }: Refusal): Outcome => ({ kind: 'refused', reason })
