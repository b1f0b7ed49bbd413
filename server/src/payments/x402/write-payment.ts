import { randomUUID } from 'node:crypto'
import { type Asset, amountOf, splitSale } from '@pennypost/contract/money'
import type { Db, Tx } from '../../platform/database/database.ts'
import { allocateAddress } from '../../rails/nano/custody/custody.ts'
import { findAddressByText } from '../../rails/nano/custody/custody-store.ts'
import type { Listing, Payable, Rail, Recognized } from '../../rails/rail.ts'
import { hasWalletBought } from '../entitlements/entitlement-store.ts'
import { openOrder } from '../orders/open-order.ts'
import { isSold, leastArrival, orderQuoteMs } from '../orders/order-rules.ts'
import { changePayer, lockOrderOfAddress } from '../orders/order-store.ts'
import type { PaymentServices } from '../services.ts'
import {
  addPayment,
  findPresentedPayment,
  findUnderWay,
  isOf,
  isOfferSettled,
  lockBuying,
  lockOffer,
  offerHashOf,
  type PaymentRow,
} from './payment-store.ts'
import { settleLater } from './settle-payment.job.ts'
import type { X402Offer } from './x402-offer.ts'

/** A presented payment, as far as writing it down needs it. */
export interface Unseen extends Pick<Recognized, 'isSame'> {
  readonly offer: X402Offer
  readonly rail: Rail<Asset>
  /** What the client calls this payment. */
  readonly identifier: string | undefined
}

export interface Buyer {
  readonly ip: string
  /** The account that is signed in: it owns what is bought, beside the wallet. */
  readonly accountId?: string | undefined
  readonly payeeId?: string | undefined
  readonly checkoutId?: string | undefined
  readonly listing?: Listing | undefined
}

/** How the wallet came to have the post already, or may come to have it. */
export type Earlier = 'settled' | PaymentRow

/** Thrown, so that nothing stays of what was begun: an order without its payment would take money and sell nothing. */
export class NotWritten extends Error {
  override name = 'NotWritten'
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** The payment that this proof made, if the same payload is presented under the same offer. */
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

/** Writes a new payment down, unless it is known by now, or its wallet pays or has paid for the post already. */
export async function writePayment(
  services: PaymentServices,
  tx: Tx,
  presented: Unseen,
  { payer, nonce, proof, previous, validBefore, seenAtBlock }: Payable,
  buyer: Buyer,
): Promise<{ readonly payment: PaymentRow } | { readonly earlier: Earlier }> {
  const { offer, rail, identifier } = presented
  await lockOffer(tx, offer.token)
  const known = await findKnown(services, tx, presented, { payer, nonce })
  if (known === 'used otherwise') throw new NotWritten('payment_already_used')
  if (known) return { payment: known }
  // Where an order holds the money, the order itself says whether it was sold.
  if (!rail.isCustodial && (await isOfferSettled(tx, offer.token))) throw new NotWritten('quote_already_used')
  const earlier = await findEarlier(services, tx, presented, payer)
  if (earlier) return { earlier }
  const orderId = offer.derivation === null ? null : await orderFor(services, tx, offer, offer.derivation, payer, buyer)
  const payment = await addPayment(tx, {
    id: randomUUID(),
    purpose: offer.purpose,
    network: rail.network,
    asset: rail.assetName(services),
    payer,
    post_id: offer.postId,
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
    order_id: orderId,
    created_at: services.clock.now(),
  })
  if (!payment) throw new NotWritten('another_payment_is_under_way')
  await settleLater(services, tx, payment)
  return { payment }
}

/** Until the transaction ends, no other payment of this wallet for the post is begun. A tip can be given twice. */
export async function findEarlier(
  services: Pick<PaymentServices, 'config'>,
  tx: Tx,
  { offer, rail }: Unseen,
  payer: string,
): Promise<Earlier | undefined> {
  if (offer.purpose === 'tip') return undefined
  const buying = { network: rail.network, asset: rail.assetName(services), payer, post_id: offer.postId }
  await lockBuying(tx, buying)
  // In this order: one that is settled in between is found by the second look.
  const underWay = await findUnderWay(tx, buying)
  if (underWay) return underWay
  return (await hasWalletBought(tx, { network: rail.network, address: payer }, offer.postId)) ? 'settled' : undefined
}

/** The order of the offer's address: a new one, or the one that an earlier payment left unpaid. */
async function orderFor(
  services: PaymentServices,
  tx: Tx,
  offer: X402Offer,
  derivation: string,
  payerWallet: string,
  { accountId, payeeId }: Buyer,
): Promise<string> {
  const address = await findAddressByText(tx, offer.payTo)
  if (address) {
    const order = await lockOrderOfAddress(tx, address.id)
    // Money that could not buy came there before. Everything is sent back from there, perhaps this payment already.
    if (!order) throw new NotWritten('quote_returns_its_money')
    if (isSold(order)) throw new NotWritten('quote_already_used')
    await changePayer(tx, order.id, { payer_id: accountId ?? null, payer_wallet: payerWallet })
    return order.id
  }
  return openOrder(services, tx, {
    kind: offer.purpose === 'tip' ? 'tip' : 'purchase',
    payerId: accountId ?? null,
    payeeId: payeeId!,
    postId: offer.postId,
    commentId: null,
    message: null,
    sale: splitSale(amountOf('XNO', offer.amount), BigInt(offer.commissionBps)),
    recipient: offer.recipient!,
    x402: { payerWallet, derivation },
  })
}

/** Money came to an offer's address that cannot buy: from now on the address is watched, and returns what it gets. */
export async function sendBackLater(services: PaymentServices, offer: X402Offer): Promise<void> {
  const { token, payTo, derivation, amount } = offer
  await services.db.transaction().execute(async (tx) => {
    await lockOffer(tx, token)
    if (await findAddressByText(tx, payTo)) return
    const expiresAt = new Date(services.clock.now().getTime() + orderQuoteMs)
    const leastRaw = leastArrival(amountOf('XNO', amount))
    await allocateAddress(services, tx, { purpose: 'x402-stray', leastRaw, expiresAt, derivation })
  })
}
