import { amountOf, splitSale } from '@pennypost/contract/money'
import type { Tx } from '../../platform/database/database.ts'
import { allocateAddress, findAddressByText } from '../../rails/nano/custody/addresses.ts'
import { openOrder } from '../orders/order-lifecycle.job.ts'
import { changePayer, isSold, leastArrival, lockOrderOfAddress, orderQuoteMs } from '../orders/order-store.ts'
import type { PaymentServices } from '../services.ts'
import { lockOffer, NotWritten } from './payment-store.ts'
import type { X402Offer } from './x402-offer.ts'

// Offers that are paid to one of our addresses: an order holds their money.

/** Returns the order of the offer's address: a new one, or one that an earlier payment left unpaid. */
export async function findOrOpenOrder(
  services: PaymentServices,
  tx: Tx,
  offer: X402Offer,
  payerWallet: string,
  { accountId, payeeId }: { readonly accountId?: string | undefined; readonly payeeId?: string | undefined },
): Promise<string> {
  const address = await findAddressByText(tx, offer.payTo)
  if (address) {
    const order = await lockOrderOfAddress(tx, address.id)
    // Money that could not buy arrived there before. Everything there is sent back, perhaps this payment too.
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
    commentId: offer.commentId ?? null,
    message: null,
    sale: splitSale(amountOf('XNO', offer.amount), BigInt(offer.commissionBps)),
    recipient: offer.recipient!,
    x402: { payerWallet, derivation: offer.derivation! },
  })
}

/** For money at an offer's address that cannot buy: from now on the address is watched, and what arrives is sent back. */
export async function sendBackLater(services: PaymentServices, offer: X402Offer): Promise<void> {
  const { token, payTo, derivation, amount } = offer
  await services.db.transaction().execute(async (tx) => {
    await lockOffer(tx, token)
    if (await findAddressByText(tx, payTo)) return
    const expiresAt = new Date(services.clock.now().getTime() + orderQuoteMs)
    const leastRaw = leastArrival(amountOf('XNO', amount))
    await allocateAddress(services, tx, { purpose: 'x402-stray', leastRaw, expiresAt, derivation: derivation! })
  })
}
