import { type Amount, type Asset, amountOf } from '@pennypost/contract/money'
import { type ColumnType, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { type OrderState, orderMoves } from './order-rules.ts'

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
  /** Null: the payer has no account and is known by the wallet. */
  payer_id: string | null
  payer_wallet: string | null
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

export type NewOrder = Omit<OrderRow, 'state' | 'asset' | 'received_raw' | 'received_at' | 'paid_at' | 'transaction'>

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

/** Another wallet pays what an earlier payer of the same offer did not. */
export const changePayer = (tx: Tx, id: string, payer: Pick<OrderRow, 'payer_id' | 'payer_wallet'>): Promise<unknown> =>
  tx.updateTable('orders').set(payer).where('id', '=', id).execute()

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

export const markArrivalsSpent = (tx: Tx, orderId: string, now: Date): Promise<unknown> =>
  tx
    .updateTable('order_arrivals')
    .set({ spent_at: now })
    .where('order_id', '=', orderId)
    .where('spent_at', 'is', null)
    .execute()

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
