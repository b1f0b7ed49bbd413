import { receiveTransfer } from '../accounts/wallets/transfer-store.ts'
import type { Tx } from '../platform/database/database.ts'
import { faultPoint } from '../platform/fault-point.ts'
import { markAddressPaid } from '../rails/nano/custody/addresses.ts'
import { isConfirmed, listNewArrivals, noteArrival, watchForArrivals } from '../rails/nano/custody/arrivals.ts'
import type { AddressWatcher } from '../rails/nano/node/address-watcher.ts'
import type { Receivable } from '../rails/nano/node/node-replies.ts'
import type { Arrival } from '../rails/settlement.ts'
import { book, negative } from './ledger/ledger.ts'
import { closeLater, spendArrivals } from './orders/order-lifecycle.job.ts'
import { addOrderArrival, lockOrderOfAddress, type OrderRow } from './orders/order-store.ts'
import { owe } from './payouts/payouts.job.ts'
import type { PaymentServices } from './services.ts'
import { settleByArrival } from './x402/payment-store.ts'

/** Watches all our Nano addresses, and receives what arrives there. */
export const watchAddresses = (services: PaymentServices): AddressWatcher =>
  watchForArrivals(services, (address, found) => receiveArrivals(services, address, found))

/**
 * Receives what arrived at an address, each arrival once. Safe to call twice. Without `found` the node is asked. Returns
 * whether the node shows any payment there.
 */
export async function receiveArrivals(
  services: PaymentServices,
  address: string,
  found: readonly Receivable[] | undefined,
): Promise<boolean> {
  const arrivals = await listNewArrivals(services, address, found)
  for (const arrival of arrivals ?? []) await receiveArrival(services, arrival)
  return arrivals !== undefined
}

/** Takes an arrival, if it is confirmed. */
export async function receiveArrival(services: PaymentServices, arrival: Arrival): Promise<void> {
  if (!(await isConfirmed(services, arrival))) return
  faultPoint('arrival-seen')
  await services.db.transaction().execute((tx) => takeArrival(services, tx, arrival))
  faultPoint('arrival-committed')
}

/** Records a confirmed arrival once, then buys with it or sends it back. */
export async function takeArrival(services: PaymentServices, tx: Tx, arrival: Arrival): Promise<void> {
  // Locked before it is recorded, so that arrivals of an order are numbered in the order in which they are spent.
  const order = await lockOrderOfAddress(tx, arrival.addressId)
  if (!(await noteArrival(tx, arrival, services.clock.now()))) return
  services.moneyCounters.arrivals.inc({ use: order ? 'order' : 'sent-back' })
  await (order ? takeForOrder(services, tx, order, arrival) : sendBack(services, tx, arrival))
  faultPoint('arrival-noted')
}

/** Books money that arrived for an order, and buys with it. */
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
  await markAddressPaid(tx, addressId, services.clock.now())
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
