import { setTimeout as wait } from 'node:timers/promises'
import { rateLimited, temporarilyUnavailable } from '@pennypost/contract/errors'
import { type Asset, amountOf } from '@pennypost/contract/money'
import { paymentMalformed, paymentProofs } from '@pennypost/contract/x402'
import { refuse } from '../../platform/http/refuse.ts'
import { enforceLimitOfIp } from '../../platform/limits/enforce-limit.ts'
import { isOfferedFor } from '../../posts/sellable-post.ts'
import { storedFirst } from '../../rails/nano/custody/stored-addresses.ts'
import { isNodeError } from '../../rails/node-errors.ts'
import type { Listing, Payable, Rail, Wallet } from '../../rails/rail.ts'
import { rails } from '../../rails/rails.ts'
import { hasWalletBought } from '../entitlements/entitlement-store.ts'
import { lateMs } from '../orders/order-store.ts'
import { journalPayment } from '../recovery/journal-record.ts'
import type { PaymentServices } from '../services.ts'
import { sendBackLater } from './custodial-offer.ts'
import { findPayment, NotWritten, type PaymentRow } from './payment-store.ts'
import { settle } from './settle-payment.job.ts'
import {
  type Buyer,
  checkIdentifier,
  type Earlier,
  findEarlier,
  findKnown,
  type Unseen,
  writePayment,
} from './write-payment.ts'
import { type OfferSubject, type PaymentSignature, readOffer, requirementOf, type X402Offer } from './x402-offer.ts'

/** A payment that a request presents for one of our offers, and what is known about it. */
interface PresentedPayment extends Unseen {
  readonly payload: Readonly<Record<string, unknown>>
  /** Its outcome, if it was presented before by a holder of the offer's token. Undefined if it is new. */
  readonly known: Outcome | undefined
  /** Whether it has counted towards the limit of proofs already. */
  readonly isCounted: boolean
}

/** The outcome of a payment. Pending is neither paid nor failed: the client sends the same request again. */
type Outcome =
  | { readonly kind: 'settled' | 'pending'; readonly payment: PaymentRow }
  | { readonly kind: 'refused'; readonly reason: string; readonly payment?: PaymentRow }
  /** The wallet that signed already has the post and is not charged again. */
  | { readonly kind: 'owned'; readonly wallet: Wallet }

/** What a request may do with a new payment. */
export type Wanted =
  /** It pays for what is requested. */
  | 'purchase'
  /** The payer no longer needs it. An unsent payment is not sent; money that was sent buys as it was offered. */
  | 'what was sent'
  /** It is not sold. An unsent payment is not sent; money that was sent goes back. */
  | 'nothing'

export const takeProofLimit = (services: PaymentServices, ip: string): Promise<void> =>
  enforceLimitOfIp(services, paymentProofs, ip)

/**
 * Recognizes a payment by its offer. Returns undefined if the accepted offer is not ours for this subject. Anyone can
 * present an offer again and again: if the signer has to be asked for its address, it counts as a proof before that. An
 * offer that was paid needs no signer, so its buyer can read even if the signer is unavailable or the limit is used up.
 */
export async function recognizePayment(
  services: PaymentServices,
  /** With `asks`, only an offer of this amount will do. */
  subject: OfferSubject & { readonly asks?: { readonly asset: Asset; readonly amount: string } },
  { accepted, payload, identifier }: PaymentSignature,
  ip: string,
): Promise<PresentedPayment | undefined> {
  let isCounted = false
  const addresses = storedFirst(services, async () => {
    await takeProofLimit(services, ip)
    isCounted = true
  })
  const offer = accepted && (await readOffer({ ...services, addresses }, subject, accepted))
  if (!offer) return undefined
  const { asks } = subject
  if (asks && (asks.asset !== offer.asset || BigInt(asks.amount) !== offer.amount)) return undefined
  const rail: Rail<Asset> = rails[offer.asset]
  const recognized = rail.recognize(payload, termsOf(services, offer)) ?? refuse(paymentMalformed)
  if ('reason' in recognized)
    return { offer, rail, payload, identifier, isSame: () => false, known: refused(recognized.reason), isCounted }
  const { nonce, payer, isSame } = recognized
  const presented = { offer, rail, payload, identifier, isSame, isCounted }
  if (payer !== undefined) await checkIdentifier(services.db, { network: rail.network, payer, nonce }, identifier)
  const known = await findKnown(services, services.db, presented, { payer, nonce })
  return {
    ...presented,
    known: known && (known === 'used otherwise' ? refused('payment_already_used') : outcomeOf(known)),
  }
}

/**
 * Takes a presented payment, for every route that can be paid. A new payment is checked, stored, and only then sent. One
 * whose outcome was uncertain is checked again. A known outcome does not change. Returns undefined if nothing was taken.
 */
export async function takePayment(
  services: PaymentServices,
  presented: PresentedPayment,
  wanted: Wanted,
  buyer: Buyer,
): Promise<Outcome | undefined> {
  const { known, rail, isCounted } = presented
  if (known && (known.kind !== 'pending' || wanted !== 'purchase')) return known
  // Only one of our addresses can hold money that was sent before.
  if (wanted !== 'purchase' && !rail.isCustodial) return undefined
  if (!isCounted) await takeProofLimit(services, buyer.ip)
  if (known) return outcomeOf(await settle(services, known.payment))
  if (wanted === 'nothing') return decline(services, presented)
  return pay(services, presented, wanted, buyer)
}

/** When a presented payment was settled, if it was. Then it gives the right to read. */
export const settledAtOf = (presented: PresentedPayment | undefined): Date | undefined =>
  presented?.known?.kind === 'settled' ? presented.known.payment.settled_at! : undefined

function outcomeOf(payment: PaymentRow): Outcome {
  if (payment.state === 'settled') return { kind: 'settled', payment }
  if (payment.state === 'settling') return { kind: 'pending', payment }
  return { kind: 'refused', reason: payment.failure!, payment }
}

const refused = (reason: string): Outcome => ({ kind: 'refused', reason })

const termsOf = (services: PaymentServices, offer: X402Offer, listing?: Listing) => {
  const { amount, payTo } = offer
  return { amount, payTo, requirements: requirementOf(services, offer), listing }
}

/**
 * Whether an expired offer still buys: it does for a day if the payment was sent already and the post costs no more now. A
 * tip has no price.
 */
async function stillBuys({ db, ...parts }: PaymentServices, offer: X402Offer, lateByMs: number): Promise<boolean> {
  if (lateByMs >= lateMs) return false
  const amount = amountOf('XNO', offer.amount)
  const isOffered = () => db.transaction().execute((tx) => isOfferedFor(parts, tx, offer.postId, amount))
  return offer.purpose === 'tip' || isOffered()
}

async function pay(
  services: PaymentServices,
  presented: PresentedPayment,
  wanted: Wanted,
  buyer: Buyer,
  begunAt = performance.now(),
): Promise<Outcome> {
  const { db, clock } = services
  const { offer, rail, identifier, payload } = presented
  const lateByMs = clock.now().getTime() - offer.expiresAt.getTime()
  if (!rail.isCustodial && lateByMs > 0) return refused('quote_expired')
  const checked = await rail.check(services, payload, termsOf(services, offer, buyer.listing))
  if (checked.kind === 'unavailable') return tryAgain()
  if (checked.kind === 'invalid') {
    const { reason, isStray, withoutMoney } = checked
    if (isStray) await sendBackLater(services, offer)
    // A payer who has spent everything on the post, and signs for it again, is not asked to pay again.
    const earlier =
      withoutMoney &&
      (await db
        .transaction()
        .execute((tx) => findEarlier(services, tx, presented, { payer: withoutMoney.payer, isSent: false })))
    if (!earlier || !(await withoutMoney.isSigned().catch(tryAgainIfAway))) return refused(reason)
    return payAfter(services, presented, wanted, buyer, earlier, { payer: withoutMoney.payer, isSent: false })
  }
  const { payer, nonce, isSent } = checked
  if (wanted === 'what was sent' && !isSent) return refused('payment_not_needed')
  const isOwned = rail.isCustodial && offer.purpose === 'access'
  if (isOwned && (await hasWalletBought(db, { network: rail.network, address: payer }, offer.postId)))
    return payAfter(services, presented, wanted, buyer, 'settled', checked)
  if (lateByMs > 0 && !(isSent && (await stillBuys(services, offer, lateByMs)))) {
    if (isSent) await sendBackLater(services, offer)
    return refused('quote_expired')
  }
  await checkIdentifier(db, { network: rail.network, payer, nonce }, identifier)
  try {
    const opened = await db.transaction().execute((tx) => writePayment(services, tx, presented, checked, buyer))
    if ('payment' in opened) {
      await journalPayment(services, opened.payment)
      return outcomeOf(await settle(services, opened.payment, checked.gas))
    }
    if ('other' in opened) return await payOnceOver(services, presented, wanted, buyer, opened.other, begunAt)
    return await payAfter(services, presented, wanted, buyer, opened.earlier, checked)
  } catch (error) {
    if (error instanceof NotWritten) return refused(error.reason)
    throw error
  }
}

const maxWaitMs = 10_000
const pollMs = 100

/**
 * The wallet is paying for something else at the moment. Its balance is certain once that is over: otherwise someone with
 * money for one post who signs for twenty would make us pay for twenty transactions.
 */
async function payOnceOver(
  services: PaymentServices,
  presented: PresentedPayment,
  wanted: Wanted,
  buyer: Buyer,
  other: PaymentRow,
  begunAt: number,
): Promise<Outcome> {
  for (;;) {
    const { state, reverted_at } = (await findPayment(services.db, other.id))!
    if (state !== 'settling') return pay(services, presented, wanted, buyer, begunAt)
    // It can still be presented by others until it expires.
    if (reverted_at !== null) refuse(rateLimited, {}, { retryAfterSeconds: 60 })
    if (performance.now() - begunAt > maxWaitMs) refuse(rateLimited, {}, { retryAfterSeconds: 2 })
    await wait(pollMs)
  }
}

/** The wallet is paying or has paid for the post: what it signed now is not sent, and what it sent goes back. */
async function payAfter(
  services: PaymentServices,
  presented: PresentedPayment,
  wanted: Wanted,
  buyer: Buyer,
  earlier: Earlier,
  { payer, isSent }: Pick<Payable, 'payer' | 'isSent'>,
): Promise<Outcome> {
  if (earlier === 'settled') {
    if (isSent) await sendBackLater(services, presented.offer)
    return { kind: 'owned', wallet: { network: presented.rail.network, address: payer } }
  }
  // Signed again while the first is in progress, for example by a restarted client: the outcome of the first one decides.
  const first = await settle(services, earlier)
  // The tip was given once. The second signature is not sent: nothing shows that a second tip was intended.
  if (first.state === 'settling' || (first.state === 'settled' && first.purpose === 'tip')) return outcomeOf(first)
  return pay(services, presented, wanted, buyer)
}

/** Sends back the money that a payment brought to its offer's address, if the chain shows it there. */
async function decline(services: PaymentServices, { offer, rail, payload }: PresentedPayment): Promise<undefined> {
  const checked = await rail.check(services, payload, termsOf(services, offer))
  if (checked.kind === 'unavailable') return tryAgain()
  if (checked.kind === 'invalid' ? checked.isStray : checked.isSent) await sendBackLater(services, offer)
}

/** Nothing was stored and nothing was sent, so the client can send the same request again. */
const tryAgain = (): never => refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 2 })

function tryAgainIfAway(error: unknown): never {
  if (isNodeError(error)) return tryAgain()
  throw error
}
