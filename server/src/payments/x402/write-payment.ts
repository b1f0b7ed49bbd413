import { randomUUID } from 'node:crypto'
import type { Asset } from '@pennypost/contract/money'
import { paymentIdentifierConflict } from '@pennypost/contract/x402'
import type { Db, Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Listing, Payable, Rail, Recognized } from '../../rails/rail.ts'
import { hasWalletBought } from '../entitlements/entitlement-store.ts'
import type { PaymentServices } from '../services.ts'
import { findOrOpenOrder } from './custodial-offer.ts'
import { clientOf, gasRefusal } from './gas-guard.ts'
import {
  addPayment,
  findIdentifiedPayment,
  findOtherUnderWay,
  findPresentedPayment,
  findTipUnderWay,
  findUnderWay,
  isOf,
  isOfferSettled,
  lockBuying,
  lockOffer,
  NotWritten,
  offerHashOf,
  type PaymentRow,
} from './payment-store.ts'
import { settleLater } from './settle-payment.job.ts'
import type { X402Offer } from './x402-offer.ts'

// Stores a payment before it is sent, unless it is known already. What may happen twice at the same time is decided here,
// under locks.

/** The fields of a presented payment that are needed to store it. */
export interface Unseen extends Pick<Recognized, 'isSame'> {
  readonly offer: X402Offer
  readonly rail: Rail<Asset>
  /** The client's name for this payment. */
  readonly identifier: string | undefined
}

export interface Buyer {
  readonly ip: string
  /** The account that is signed in. It gets the purchase too, in addition to the wallet. */
  readonly accountId?: string | undefined
  readonly payeeId?: string | undefined
  readonly checkoutId?: string | undefined
  readonly listing?: Listing | undefined
}

/** An earlier payment of the wallet for the post: settled, or in progress. */
export type Earlier = 'settled' | PaymentRow

/** Finds the payment of this proof, if the same payload is presented under the same offer. */
export async function findKnown(
  services: Pick<PaymentServices, 'config'>,
  db: Db | Tx,
  { offer, rail, isSame }: Unseen,
  { payer, nonce }: Pick<Recognized, 'payer' | 'nonce'>,
): Promise<PaymentRow | 'used otherwise' | undefined> {
  const asset = rail.assetName(services)
  const payment = await findPresentedPayment(db, { network: rail.network, asset, payer, nonce })
  return payment && (isOf(payment, offer) && isSame(payment.proof) ? payment : 'used otherwise')
}

/** A name that a client gives a payment (x402's `payment-identifier`) is valid for that payment only. */
export async function checkIdentifier(
  db: Db,
  { network, payer, nonce }: Pick<PaymentRow, 'network' | 'payer' | 'nonce'>,
  identifier: string | undefined,
): Promise<void> {
  if (identifier === undefined) return
  const named = await findIdentifiedPayment(db, { network, payer, identifier })
  if (named && named.nonce !== nonce) refuse(paymentIdentifierConflict)
}

/** Stores a new payment, unless it is known by now, or its wallet is paying or has paid for the post. */
export async function writePayment(
  services: PaymentServices,
  tx: Tx,
  presented: Unseen,
  checked: Payable,
  buyer: Buyer,
): Promise<{ readonly payment: PaymentRow } | { readonly earlier: Earlier } | { readonly other: PaymentRow }> {
  const { offer, rail, identifier } = presented
  const { payer, nonce, proof, previous, validBefore, seenAtBlock } = checked
  await lockOffer(tx, offer.token)
  const known = await findKnown(services, tx, presented, { payer, nonce })
  if (known === 'used otherwise') throw new NotWritten('payment_already_used')
  if (known) return { payment: known }
  // If an order holds the money, the order shows whether it was sold.
  if (!rail.isCustodial && (await isOfferSettled(tx, offer.token))) throw new NotWritten('quote_already_used')
  const earlier = await findEarlier(services, tx, presented, checked)
  if (earlier) return { earlier }
  const other = rail.isCustodial ? undefined : await findOtherUnderWay(tx, rail.network, payer)
  if (other) return { other }
  const client = clientOf(services, buyer.ip)
  const notSent = await gasRefusal(services, tx, checked, client)
  if (notSent !== undefined) throw new NotWritten(notSent)
  const orderId = offer.derivation === null ? null : await findOrOpenOrder(services, tx, offer, payer, buyer)
  const payment = await addPayment(tx, {
    id: randomUUID(),
    purpose: offer.purpose,
    network: rail.network,
    asset: rail.assetName(services),
    payer,
    post_id: offer.postId,
    comment_id: offer.commentId ?? null,
    payee_id: buyer.payeeId!,
    nonce,
    previous,
    amount: String(offer.amount),
    pay_to: offer.payTo,
    offer_hash: offerHashOf(offer.token),
    proof,
    identifier: identifier ?? null,
    valid_before: validBefore === null ? null : String(validBefore),
    seen_at_block: seenAtBlock === null ? null : String(seenAtBlock),
    checkout_id: buyer.checkoutId ?? null,
    account_id: buyer.accountId ?? null,
    client,
    order_id: orderId,
    created_at: services.clock.now(),
  })
  if (!payment) throw new NotWritten('another_payment_is_under_way')
  await settleLater(services, tx, payment)
  return { payment }
}

/**
 * Until the transaction ends, this wallet can start no other payment for the post. A tip can be given again, but not
 * while the outcome of the same tip is unknown: a restarted client would sign it a second time. What was already sent is
 * a tip in any case.
 */
export async function findEarlier(
  services: Pick<PaymentServices, 'config'>,
  tx: Tx,
  { offer, rail }: Unseen,
  { payer, isSent }: Pick<Payable, 'payer' | 'isSent'>,
): Promise<Earlier | undefined> {
  const isTip = offer.purpose === 'tip'
  if (isTip && isSent) return undefined
  const buying = { network: rail.network, asset: rail.assetName(services), payer, post_id: offer.postId }
  await lockBuying(tx, buying)
  if (isTip)
    return findTipUnderWay(tx, { ...buying, comment_id: offer.commentId ?? null, amount: String(offer.amount) })
  // In this order: a payment that is settled in between is found by the second query.
  const underWay = await findUnderWay(tx, buying)
  if (underWay) return underWay
  return (await hasWalletBought(tx, { network: rail.network, address: payer }, offer.postId)) ? 'settled' : undefined
}
