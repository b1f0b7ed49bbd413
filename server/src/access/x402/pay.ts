import type { Services } from '../../services.ts'
import { takeProofLimit } from '../proof-limit.ts'
import { type Buyer, type Offered, type Outcome, outcomeOf, refused } from './outcome.ts'
import { declineNano, payNano, recallNano } from './pay-nano.ts'
import { payUsdc, recallUsdc } from './pay-usdc.ts'
import type { PresentedPayment } from './payment-signature.ts'
import { type QuoteSubject, readQuote } from './quote.ts'
import { settle } from './settle-payment.job.ts'

/** Undefined: what was accepted is no quote of ours for this. */
export function offeredFor(
  services: Services,
  subject: Pick<QuoteSubject, 'purpose' | 'postId' | 'checkoutId'>,
  { accepted, payload, identifier }: PresentedPayment,
): Offered | undefined {
  const quote = accepted && readQuote(services, subject, accepted)
  return quote && { quote, payload, identifier }
}

/** What a proof that was shown before came to, if it is shown by who holds its token. Undefined: it is new. */
export async function recall(services: Services, offered: Offered): Promise<Outcome | undefined> {
  const known = await (offered.quote.asset === 'XNO' ? recallNano : recallUsdc)(services, offered)
  if (known === undefined) return undefined
  return 'reason' in known ? refused(known) : outcomeOf(known)
}

/** Takes a new proof, or looks once more at one that was uncertain. What is decided stays decided. */
export async function pay(
  services: Services,
  offered: Offered,
  known: Outcome | undefined,
  buyer: Buyer,
): Promise<Outcome> {
  if (known && known.kind !== 'pending') return known
  await takeProofLimit(services, buyer.ip)
  if (known) return outcomeOf(await settle(services, known.payment))
  return (offered.quote.asset === 'XNO' ? payNano : payUsdc)(services, offered, buyer)
}

/** A payment for what is sold no more: nothing is sent, and what was sent already comes back. */
export async function declineLate(services: Services, offered: Offered, ip: string): Promise<void> {
  if (offered.quote.asset !== 'XNO') return
  await takeProofLimit(services, ip)
  await declineNano(services, offered)
}
