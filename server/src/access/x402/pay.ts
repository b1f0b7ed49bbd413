import { rateLimited } from '@pennypost/contract/errors'
import { limit } from '@pennypost/contract/limit'
import type { Wallet } from '../../payments/sessions/session-store.ts'
import { clientAddress } from '../../platform/http/client-address.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Services } from '../../services.ts'
import { outcomeOf, payNano, readNanoPayload, recallNano, takeBackLater } from './pay-nano.ts'
import type { PresentedPayment } from './payment-signature.ts'
import type { PaymentRow } from './payment-store.ts'
import { type Quote, type QuoteSubject, readQuote } from './quote.ts'
import { settleNano } from './settle-nano.ts'

/** What became of a payment. Pending is neither paid nor failed: the same request comes again. */
export type Outcome =
  | { readonly kind: 'settled' | 'pending'; readonly payment: PaymentRow }
  | { readonly kind: 'refused'; readonly reason: string; readonly payment?: PaymentRow }
  /** The wallet that signed has the Post already: it is not charged again. */
  | { readonly kind: 'owned'; readonly wallet: Wallet }

export interface Buyer {
  /** Whoever is signed in; they own what is bought, beside the wallet. */
  readonly accountId: string | undefined
  readonly payeeId: string
  readonly ip: string
}

/** A payment with the quote that it accepted. */
export interface Offered {
  readonly quote: Quote
  readonly payload: Readonly<Record<string, unknown>>
}

/** Undefined: what was accepted is no quote of ours for this. */
export function offeredFor(
  services: Services,
  subject: Pick<QuoteSubject, 'purpose' | 'postId'>,
  { accepted, payload }: PresentedPayment,
): Offered | undefined {
  const quote = accepted && readQuote(services, subject, accepted)
  return quote && { quote, payload }
}

/** What a proof that was shown before came to, if it is shown by who holds its token. Undefined: it is new. */
export async function recall(services: Services, { quote, payload }: Offered): Promise<Outcome | undefined> {
  const known = await recallNano(services, quote, readNanoPayload(payload))
  if (known === undefined) return undefined
  return 'reason' in known ? { kind: 'refused', ...known } : outcomeOf(known)
}

// Each costs questions to a node, and a signature to check.
const proofLimit = limit('x402-proofs', { per: 'ip', max: 120, seconds: 60 })

/** Takes a new proof, or looks once more at one that was uncertain. What is decided stays decided. */
export async function pay(
  services: Services,
  { quote, payload }: Offered,
  known: Outcome | undefined,
  buyer: Buyer,
): Promise<Outcome> {
  if (known && known.kind !== 'pending') return known
  const { counters, clock } = services
  const { allowed, retryAfterSeconds } = await counters.take(proofLimit, clientAddress(buyer.ip), clock.now())
  if (!allowed) refuse(rateLimited, {}, { retryAfterSeconds })
  if (known) return outcomeOf(await settleNano(services, known.payment))
  return payNano(services, quote, readNanoPayload(payload), buyer)
}

/** A payment for what is sold no more: nothing is sent, and what was sent already comes back. */
export const declineLate = (services: Services, { quote, payload }: Offered): Promise<void> =>
  'blockHash' in payload ? takeBackLater(services, quote) : Promise.resolve()
