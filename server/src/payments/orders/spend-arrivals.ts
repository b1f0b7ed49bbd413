import { type Amount, minus, smallerOf, storedSale, sumOf } from '@pennypost/contract/money'
import type { Tx } from '../../platform/database/database.ts'
import { grantPost } from '../entitlements/entitlement-store.ts'
import { recordMoney } from '../finance/record-money.ts'
import { book, negative } from '../ledger/ledger.ts'
import { owe } from '../payouts/payouts.ts'
import type { PaymentServices } from '../services.ts'
import { decide, stateAt } from './order-rules.ts'
import { listUnspentArrivals, markArrivalsSpent, moveOrder, type OrderRow, type UnspentArrival } from './order-store.ts'

/**
 * What became of an order's money: it bought, it goes back to its senders, or it waits for more. `nothing`: there was
 * none.
 */
export type Spent = 'sold' | 'returned' | 'waits' | 'nothing'

/** Does with an order's unspent money what the rules say. The order is locked. */
export async function spendArrivals(services: PaymentServices, tx: Tx, order: OrderRow): Promise<Spent> {
  const now = services.clock.now()
  const arrivals = await listUnspentArrivals(tx, order.id)
  const unspent = sumOf(arrivals.map(({ amount }) => amount))
  const decision = decide(order, unspent, now)
  if (unspent === 0n) return 'nothing'
  if (decision === 'wait') return 'waits'
  await markArrivalsSpent(tx, order.id, now)
  const buys = decision === 'buy' && (order.kind === 'tip' || (await grantPost(tx, order, now)))
  if (!buys) {
    // The payer has bought the post with another order in the meantime: this one is no longer needed. One that reads as
    // expired stays so, although the job that marks it has not run yet.
    if (decision === 'buy') await moveOrder(tx, order.id, stateAt(order, now) === 'expired' ? 'expire' : 'cancel', now)
    await giveBack(services, tx, order, arrivals, unspent)
    return 'returned'
  }
  await sell(services, tx, order, arrivals, unspent)
  return 'sold'
}

async function sell(
  services: PaymentServices,
  tx: Tx,
  order: OrderRow,
  arrivals: readonly UnspentArrival[],
  unspent: Amount<'XNO'>,
): Promise<void> {
  const now = services.clock.now()
  const sold = (await moveOrder(tx, order.id, 'receive', now))!
  const { gross, commission, net } = storedSale('XNO', order.amount_raw, order.commission_raw)
  const kind = order.kind === 'purchase' ? 'sale' : 'tip'
  await book(tx, {
    asset: 'XNO',
    kind,
    cause: `${kind}:${order.id}`,
    orderId: order.id,
    at: now,
    entries: [
      { account: 'order', ref: order.id, amount: gross },
      { account: 'creator', ref: order.payee_id, amount: negative(net) },
      { account: 'house', ref: 'house', amount: negative(commission) },
    ],
  })
  // The creator first, the house last: blocks are sent in the order of these calls.
  const common = { orderId: order.id, arrivalHash: null, addressId: order.address_id }
  if (net > 0n)
    await owe(services, tx, {
      ...common,
      role: 'creator',
      payeeId: order.payee_id,
      destination: order.recipient,
      amount: net,
    })
  else await moveOrder(tx, order.id, 'pay', now)
  await giveBack(services, tx, order, arrivals, minus(unspent, gross))
  if (commission > 0n)
    await owe(services, tx, {
      ...common,
      role: 'house',
      payeeId: null,
      destination: services.keyring.house,
      amount: commission,
    })
  await recordMoney(services, tx, { kind: kind === 'sale' ? 'sale-received' : 'tip-received', order: sold })
}

/** Sends money back to its senders, the latest arrival first. */
async function giveBack(
  services: PaymentServices,
  tx: Tx,
  order: OrderRow,
  arrivals: readonly UnspentArrival[],
  amount: Amount<'XNO'>,
): Promise<void> {
  let left = amount
  for (const { hash, source, amount: whole } of arrivals.toReversed()) {
    if (left === 0n) return
    const part = smallerOf(left, whole)
    left = minus(left, part)
    const refund = await owe(services, tx, {
      role: 'refund',
      orderId: order.id,
      arrivalHash: hash,
      payeeId: order.payer_id,
      addressId: order.address_id,
      destination: source,
      amount: part,
    })
    await book(tx, {
      asset: 'XNO',
      kind: 'refund',
      cause: `refund:${hash}`,
      orderId: order.id,
      at: services.clock.now(),
      entries: [
        { account: 'order', ref: order.id, amount: part },
        { account: 'refund', ref: refund.id, amount: negative(part) },
      ],
    })
  }
}
