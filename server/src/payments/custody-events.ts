import { receiveTransfer } from '../accounts/wallets/transfer-store.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Arrival, CustodyEvents } from '../rails/nano/custody/custody-events.ts'
import { book, negative } from './ledger/ledger.ts'
import { closeLater, spendArrivals } from './orders/order-lifecycle.job.ts'
import { addOrderArrival, lockOrderOfAddress, type OrderRow } from './orders/order-store.ts'
import { blockPayout, confirmPayout, owe } from './payouts/payouts.ts'
import type { PaymentServices } from './services.ts'
import { settleByArrival } from './x402/payment-store.ts'

/**
 * What happens when money reaches or leaves one of our own Nano addresses. This is the only call from the rails back
 * into a later room; each event is handled once, in the transaction that notes it.
 */
export const custodyEvents = (services: PaymentServices): CustodyEvents => ({
  async onArrival(tx, arrival) {
    const order = await lockOrderOfAddress(tx, arrival.addressId)
    await (order ? takeForOrder(services, tx, order, arrival) : sendBack(services, tx, arrival))
  },
  onSendConfirmed: (tx, send) => confirmPayout(services, tx, send),
  onSendRefused: (tx, send, reason) => blockPayout(services, tx, send, reason),
})

/** Books money that came for an order, and buys with it, in one transaction. */
async function takeForOrder(services: PaymentServices, tx: Tx, order: OrderRow, arrival: Arrival): Promise<void> {
  const { hash, address, amount } = arrival
  const now = services.clock.now()
  await addOrderArrival(tx, order.id, hash, amount)
  await book(tx, {
    asset: 'XNO',
    kind: 'arrival',
    cause: `arrival:${hash}`,
    orderId: order.id,
    at: now,
    entries: [
      { account: 'chain', ref: address, amount },
      { account: 'order', ref: order.id, amount: negative(amount) },
    ],
  })
  const spent = await spendArrivals(services, tx, order)
  if (spent === 'waits') await closeLater(services, tx, order)
  // A wallet pays through x402: the payment that it presented becomes final together with the sale.
  if (order.payer_wallet !== null) await settleByArrival(tx, hash, spent === 'sold', now)
}

/**
 * Sends money back that no order waits for: a payment that proves a login, or one for an x402 offer in the wrong amount
 * or too late.
 */
async function sendBack(services: PaymentServices, tx: Tx, arrival: Arrival): Promise<void> {
  const { hash, addressId, address, amount, source } = arrival
  const refund = await owe(services, tx, {
    role: 'refund',
    orderId: null,
    arrivalHash: hash,
    payeeId: null,
    addressId,
    destination: source,
    amount,
  })
  await book(tx, {
    asset: 'XNO',
    kind: 'arrival',
    cause: `arrival:${hash}`,
    orderId: null,
    at: services.clock.now(),
    entries: [
      { account: 'chain', ref: address, amount },
      { account: 'refund', ref: refund.id, amount: negative(amount) },
    ],
  })
  await receiveTransfer(services, tx, arrival)
}
