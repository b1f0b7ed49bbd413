import { type Amount, type Asset, amountOf, smallerOf } from '@pennypost/contract/money'
import { type ColumnType, type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { moves } from '../../platform/state-machine.ts'

export type OrderState = 'pending' | 'received' | 'paid' | 'cancelled' | 'expired'

/** Late money may still buy, so an expired or cancelled order can be received. */
export const orderMoves = moves<OrderState>()({
  receive: { from: ['pending', 'expired', 'cancelled'], to: 'received' },
  pay: { from: ['received'], to: 'paid' },
  cancel: { from: ['pending'], to: 'cancelled' },
  expire: { from: ['pending'], to: 'expired' },
})

/** The fields of an order that the rules depend on. */
interface QuotedOrder {
  readonly state: OrderState
  readonly amount_raw: string
  readonly expires_at: Date
}

/** How long an order quote fixes its price. */
export const orderQuoteMs = 3_600_000
const partsWaitMs = 3_600_000
const dust = amountOf('XNO', 10n ** 24n)

/** Less than a thousandth of the quote, at most 10^24 raw, is dust: the watcher ignores less than this. */
export const leastArrival = (quoted: Amount<'XNO'>): Amount<'XNO'> =>
  smallerOf(amountOf('XNO', (quoted + 999n) / 1000n), dust)

/** When an incomplete payment is sent back. */
export const refundAt = ({ expires_at }: Pick<QuotedOrder, 'expires_at'>): Date =>
  new Date(expires_at.getTime() + partsWaitMs)

/** The latest expiry of orders whose incomplete payments are sent back by `now`. */
export const lastExpiryOfRefunds = (now: Date): Date => new Date(now.getTime() - partsWaitMs)

export const isSold = ({ state }: Pick<QuotedOrder, 'state'>): boolean => state === 'received' || state === 'paid'

/** How long after its quote ended money can still buy, if the price is not higher by then. */
export const lateMs = 24 * 3_600_000

/** Whether an order's quote no longer holds: it has expired, or the order was cancelled. */
export const isLate = (order: QuotedOrder, now: Date): boolean => order.state === 'cancelled' || now >= order.expires_at

type Decision = 'wait' | 'buy' | 'return'

/**
 * Decides what happens to an order's unspent money. Parts add up. Late money buys within a day, if what it was sent for
 * can be bought now for no more than the quote; otherwise the payer would get an old price at any time.
 */
export function decide(order: QuotedOrder, unspent: Amount<'XNO'>, now: Date, isStillOffered: boolean): Decision {
  if (isSold(order)) return 'return'
  if (unspent < BigInt(order.amount_raw)) return now >= refundAt(order) ? 'return' : 'wait'
  if (!isLate(order, now)) return 'buy'
  return isStillOffered && now.getTime() < order.expires_at.getTime() + lateMs ? 'buy' : 'return'
}

/** An order whose quote has expired reads as expired, although the job that marks it may not have run yet. */
export const stateAt = ({ state, expires_at }: Pick<QuotedOrder, 'state' | 'expires_at'>, now: Date): OrderState =>
  state === 'pending' && now >= expires_at ? 'expired' : state

declare module '../../platform/database/tables.ts' {
  interface Tables {
    orders: OrderTable
    order_arrivals: { hash: string; order_id: string; spent_at: Date | null }
  }
}

export type OrderKind = 'purchase' | 'tip'

interface OrderTable {
  id: string
  kind: OrderKind
  state: OrderState
  asset: Asset
  /** Null if the payer has no account and is identified by the wallet. */
  payer_id: string | null
  payer_wallet: string | null
  /** Started without an account. A Nano order has no payer until its money arrives. */
  is_guest: Generated<boolean>
  /** The account that a guest's purchase was moved to. */
  claimed_by: ColumnType<string | null, never, string>
  payee_id: string
  post_id: string
  comment_id: string | null
  message: string | null
  amount_raw: string
  commission_raw: string
  recipient: string
  /** Only orders in Nano have one; the code that reads it has found the order by it, or by its asset. */
  address_id: ColumnType<string, string | null, string>
  received_raw: string
  created_at: Date
  expires_at: Date
  received_at: Date | null
  paid_at: Date | null
  /** USDC: the transaction that moved the money. */
  transaction: string | null
}

export type OrderRow = Selectable<OrderTable>

type NewOrder = Omit<
  Insertable<OrderTable>,
  'state' | 'asset' | 'received_raw' | 'received_at' | 'paid_at' | 'transaction'
>

export const addOrder = (tx: Tx, order: NewOrder): Promise<OrderRow> =>
  tx
    .insertInto('orders')
    .values({
      ...order,
      asset: 'XNO',
      state: 'pending',
      received_raw: '0',
      received_at: null,
      paid_at: null,
      transaction: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

/**
 * How many quotes are unpaid, and when the first of them ends. It takes a lock, so that of two simultaneous quotes
 * the second counts the first.
 */
export async function countPendingQuotes(
  tx: Tx,
  payerId: string,
  now: Date,
): Promise<{ count: number; first_ends_at: Date | null }> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`quotes ${payerId}`}, 0))`.execute(tx)
  const { rows } = await sql<{ count: number; first_ends_at: Date | null }>`
    SELECT count(*)::int AS count, min(expires_at) AS first_ends_at FROM orders
    WHERE payer_id = ${payerId} AND state = 'pending' AND expires_at > ${now}`.execute(tx)
  return rows[0]!
}

/** How many orders of guests are open, counted up to `most`. */
export async function countOpenGuestOrders(tx: Tx, now: Date, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM (
      SELECT FROM orders WHERE is_guest AND state = 'pending' AND expires_at > ${now} LIMIT ${most}) open`.execute(tx)
  return rows[0]!.count
}

/** Adds an order that is paid already: its money went straight to the creator. */
export const addPaidOrder = (tx: Tx, order: Omit<Insertable<OrderTable>, 'state'>): Promise<OrderRow> =>
  tx
    .insertInto('orders')
    .values({ ...order, state: 'paid' })
    .returningAll()
    .executeTakeFirstOrThrow()

export const findOrder = (db: Db, id: string): Promise<OrderRow | undefined> =>
  db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst()

export const lockOrder = (tx: Tx, id: string): Promise<OrderRow | undefined> =>
  tx.selectFrom('orders').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** The order that gave out this address, locked: one transaction at a time spends its money. */
export const lockOrderOfAddress = (tx: Tx, addressId: string): Promise<OrderRow | undefined> =>
  tx.selectFrom('orders').selectAll().where('address_id', '=', addressId).forUpdate().executeTakeFirst()

/** For a guest who has paid, and for a wallet that pays for an offer that an earlier payer left unpaid. */
export const changePayer = (
  tx: Tx,
  id: string,
  payer: Pick<OrderRow, 'payer_id' | 'payer_wallet'>,
): Promise<OrderRow> =>
  tx.updateTable('orders').set(payer).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Notes the account that a guest's purchase was moved to. */
export const markClaimed = (tx: Tx, id: string, accountId: string): Promise<unknown> =>
  tx.updateTable('orders').set({ claimed_by: accountId }).where('id', '=', id).execute()

/** No row back means that the order is not in a state that allows the move. */
export function moveOrder(tx: Tx, id: string, move: keyof typeof orderMoves, now: Date): Promise<OrderRow | undefined> {
  const { from, to } = orderMoves[move]
  return tx
    .updateTable('orders')
    .set({
      state: to,
      ...(to === 'received' && { received_at: now }),
      ...(to === 'paid' && { paid_at: now }),
    })
    .where('id', '=', id)
    .where('state', 'in', from)
    .returningAll()
    .executeTakeFirst()
}

/** Money of an order that is neither spent nor on its way back, in the order it came. */
export interface UnspentArrival {
  readonly hash: string
  readonly source: string
  readonly amount: Amount<'XNO'>
}

export async function addOrderArrival(tx: Tx, orderId: string, hash: string, amount: Amount<'XNO'>): Promise<void> {
  await tx.insertInto('order_arrivals').values({ hash, order_id: orderId, spent_at: null }).execute()
  await tx
    .updateTable('orders')
    .set({ received_raw: sql`received_raw + ${String(amount)}::numeric` })
    .where('id', '=', orderId)
    .execute()
}

export const listUnspentArrivals = async (tx: Tx, orderId: string): Promise<UnspentArrival[]> => {
  const rows = await tx
    .selectFrom('order_arrivals')
    .innerJoin('nano_arrivals', 'nano_arrivals.hash', 'order_arrivals.hash')
    .select(['nano_arrivals.hash', 'nano_arrivals.source', 'nano_arrivals.amount'])
    .where('order_arrivals.order_id', '=', orderId)
    .where('order_arrivals.spent_at', 'is', null)
    .orderBy('nano_arrivals.number')
    .execute()
  return rows.map((row) => ({ ...row, amount: amountOf('XNO', row.amount) }))
}

/** The send that completed a sold order's price, and the wallet it came from. */
export const findLastPayment = (db: Db, { id, received_at }: OrderRow): Promise<{ hash: string; source: string }> =>
  db
    .selectFrom('order_arrivals')
    .innerJoin('nano_arrivals', 'nano_arrivals.hash', 'order_arrivals.hash')
    .select(['nano_arrivals.hash', 'nano_arrivals.source'])
    .where('order_arrivals.order_id', '=', id)
    // What came later was sent back later.
    .where('order_arrivals.spent_at', '<=', received_at)
    .orderBy('nano_arrivals.number', 'desc')
    .executeTakeFirstOrThrow()

export const markArrivalsSpent = (tx: Tx, orderId: string, now: Date): Promise<unknown> =>
  tx
    .updateTable('order_arrivals')
    .set({ spent_at: now })
    .where('order_id', '=', orderId)
    .where('spent_at', 'is', null)
    .execute()

/**
 * Removes orders of guests that expired before a time and never got any money, some at a time, and returns their ids.
 * Their addresses stay: money that comes later still goes back to its sender.
 */
export async function removeUnpaidGuestOrders(tx: Tx, expiredBefore: Date, limit: number): Promise<string[]> {
  // A payment that is being noted has locked its order, and changes what it received.
  const { rows } = await sql<{ id: string }>`
    DELETE FROM orders WHERE is_guest AND received_at IS NULL AND received_raw = 0 AND id IN (
      SELECT id FROM orders WHERE is_guest AND received_at IS NULL AND received_raw = 0 AND expires_at < ${expiredBefore}
      ORDER BY expires_at LIMIT ${limit}) RETURNING id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Orders that expired by `expiredBy`, still have unspent money, and have no live job with this key prefix. */
export const listForgottenOrders = async (
  db: Db,
  expiredBy: Date,
  keyPrefix: string,
  most: number,
): Promise<OrderRow[]> =>
  db
    .selectFrom('orders')
    .selectAll()
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('order_arrivals').select('order_id').where('spent_at', 'is', null),
    )
    .where('expires_at', '<=', expiredBy)
    .where(sql<boolean>`NOT EXISTS (SELECT FROM jobs WHERE key = ${keyPrefix} || orders.id AND dead_at IS NULL)`)
    .orderBy('expires_at')
    .limit(most)
    .execute()
