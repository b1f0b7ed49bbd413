import type { Tx } from '../../platform/database/database.ts'
import { grantPost } from '../entitlements/entitlement-store.ts'
import { onMoney } from '../events.ts'
import { book } from '../ledger/ledger.ts'
import { owe } from '../payouts/owe.ts'
import type { PaymentServices } from '../services.ts'
import { decide } from './order-rules.ts'
import { listUnspentArrivals, moveOrder, type OrderRow, spendArrivals, type UnspentArrival } from './order-store.ts'

/**
 * Does with an order's unspent money what the rules say: waits, buys, or gives it back. The order is locked. Answers
 * whether money waits for more.
 */
export async function settleOrder(services: PaymentServices, tx: Tx, order: OrderRow): Promise<boolean> {
  const now = services.clock.now()
  const arrivals = await listUnspentArrivals(tx, order.id)
  const unspent = arrivals.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  const decision = decide(order, unspent, now)
  if (unspent === 0n || decision === 'wait') return unspent > 0n
  await spendArrivals(tx, order.id, now)
  const isSold = decision === 'buy' && (order.kind === 'tip' || (await grantPost(tx, order, now)))
  if (!isSold) {
    // The Post was bought through another order: nobody needs this quote any more.
    if (decision === 'buy') await moveOrder(tx, order.id, 'cancel', now)
    await giveBack(services, tx, order, arrivals, unspent)
    return false
  }
  const sold = (await moveOrder(tx, order.id, 'receive', now))!
  const amount = BigInt(order.amount_raw)
  const commission = BigInt(order.commission_raw)
  const net = amount - commission
  const isSale = order.kind === 'purchase'
  await book(tx, {
    asset: 'XNO',
    kind: isSale ? 'sale' : 'tip',
    cause: `${isSale ? 'sale' : 'tip'}:${order.id}`,
    orderId: order.id,
    at: now,
    entries: [
      { account: 'order', ref: order.id, amount },
      { account: 'creator', ref: order.payee_id, amount: -net },
      { account: 'house', ref: 'house', amount: -commission },
    ],
  })
  // Creator first, house last: the order of these is the order of their blocks.
  const common = { orderId: order.id, arrivalHash: null, addressId: order.address_id }
  const creator = { role: 'creator', payeeId: order.payee_id, destination: order.recipient, amount: net } as const
  if (net > 0n) await owe(services, tx, { ...common, ...creator })
  else await moveOrder(tx, order.id, 'pay', now)
  await giveBack(services, tx, order, arrivals, unspent - amount)
  const house = { role: 'house', payeeId: null, destination: services.keyring.house, amount: commission } as const
  if (commission > 0n) await owe(services, tx, { ...common, ...house })
  await onMoney(services, tx, { kind: isSale ? 'sale-received' : 'tip-received', order: sold })
  return false
}

/** To whoever sent it: what came last goes back first. */
async function giveBack(
  services: PaymentServices,
  tx: Tx,
  order: OrderRow,
  arrivals: readonly UnspentArrival[],
  amount: bigint,
): Promise<void> {
  let left = amount
  for (const { hash, source, amount: whole } of arrivals.toReversed()) {
    if (left === 0n) return
    const part = left < BigInt(whole) ? left : BigInt(whole)
    left -= part
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
        { account: 'refund', ref: refund.id, amount: -part },
      ],
    })
  }
}
