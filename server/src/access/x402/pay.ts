import type { Grant } from '../may-read.ts'
import { takeProofLimit } from '../proof-limit.ts'
import type { AccessServices } from '../services.ts'
import { type Buyer, type Offered, type Outcome, outcomeOf, refused } from './outcome.ts'
import { declineNano, payNano, recallNano } from './pay-nano.ts'
import { payUsdc, recallUsdc } from './pay-usdc.ts'
import type { PresentedPayment } from './payment-signature.ts'
import { type QuoteSubject, readQuote } from './quote.ts'
import { settle } from './settle-payment.job.ts'

/** Undefined: what was accepted is no quote of ours for this. */
export function offeredFor(
  services: AccessServices,
  subject: Pick<QuoteSubject, 'purpose' | 'postId' | 'checkoutId'>,
  { accepted, payload, identifier }: PresentedPayment,
): Offered | undefined {
  const quote = accepted && readQuote(services, subject, accepted)
  return quote && { quote, payload, identifier }
}

/** What a proof that was shown before came to, if it is shown by who holds its token. Undefined: it is new. */
export async function recall(services: AccessServices, offered: Offered): Promise<Outcome | undefined> {
  const known = await (offered.quote.asset === 'XNO' ? recallNano : recallUsdc)(services, offered)
  if (known === undefined) return undefined
  return 'reason' in known ? refused(known) : outcomeOf(known)
}

/** Takes a new proof, or looks once more at one that was uncertain. What is decided stays decided. */
export async function pay(
  services: AccessServices,
  offered: Offered,
  known: Outcome | undefined,
  buyer: Buyer,
): Promise<Outcome> {
  if (known && known.kind !== 'pending') return known
  await takeProofLimit(services, buyer.ip)
  if (known) return outcomeOf(await settle(services, known.payment))
  return (offered.quote.asset === 'XNO' ? payNano : payUsdc)(services, offered, buyer)
}

/** A new payment that is not asked for any more: what was not sent is not sent, what was sent buys as it was quoted. */
export async function paySent(services: AccessServices, offered: Offered, buyer: Buyer): Promise<Outcome | undefined> {
  if (offered.quote.asset !== 'XNO') return undefined
  await takeProofLimit(services, buyer.ip)
  return payNano(services, offered, buyer, 'only what was sent')
}

/**
 * A new payment of somebody who may read without it. A free Post or a gift may end, so what was sent still buys; whoever
 * has the Post for good gets it back.
 */
export async function payThoughGranted(
  services: AccessServices,
  offered: Offered,
  { access }: Grant,
  buyer: Buyer,
): Promise<Outcome | undefined> {
  if (access === 'free' || access === 'gift') return paySent(services, offered, buyer)
  await declineLate(services, offered, buyer.ip)
  return undefined
}

/** A payment for what is sold no more: nothing is sent, and what was sent already comes back. */
export async function declineLate(services: AccessServices, offered: Offered, ip: string): Promise<void> {
  if (offered.quote.asset !== 'XNO') return
  await takeProofLimit(services, ip)
  await declineNano(services, offered)
}
