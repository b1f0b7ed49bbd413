import type { Asset } from '@pennypost/contract/money'
import { type ColumnType, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { type OrderState, orderMoves } from './order-state.ts'

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
  /** Null: somebody without an account, who is their wallet. */
  payer_id: string | null
  payer_wallet: string | null
  payee_id: string
  post_id: string
  comment_id: string | null
  message: string | null
  amount_raw: string
  commission_raw: string
  recipient: string
  /** Only orders in Nano have one; whoever reads it has found the order by it, or by its asset. */
  address_id: ColumnType<string, string | null, string>
  received_raw: string
  created_at: Date
  expires_at: Date
  received_at: Date | null
  paid_at: Date | null
  /** USDC: what moved the money. */
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
 * How many quotes wait for their money, and when the first of them is over. Under a lock, so that of two quotes at one
 * moment the second one counts the first.
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

/** One that is paid already: its money went straight to the creator. */
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

/** The order that gave out this address, locked: its money is settled by one at a time. */
export const lockOrderOfAddress = (tx: Tx, addressId: string): Promise<OrderRow> =>
  tx.selectFrom('orders').selectAll().where('address_id', '=', addressId).forUpdate().executeTakeFirstOrThrow()

export const findOrderOfAddress = (tx: Tx, addressId: string): Promise<OrderRow | undefined> =>
  tx.selectFrom('orders').selectAll().where('address_id', '=', addressId).forUpdate().executeTakeFirst()

/** Somebody else pays what an earlier payer of the same quote did not. */
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
  readonly amount: string
}

export async function addOrderArrival(tx: Tx, orderId: string, hash: string, amount: bigint): Promise<void> {
  await tx.insertInto('order_arrivals').values({ hash, order_id: orderId, spent_at: null }).execute()
  await tx
    .updateTable('orders')
    .set({ received_raw: sql`received_raw + ${String(amount)}::numeric` })
    .where('id', '=', orderId)
    .execute()
}

export const listUnspentArrivals = (tx: Tx, orderId: string): Promise<UnspentArrival[]> =>
  tx
    .selectFrom('order_arrivals')
    .innerJoin('nano_arrivals', 'nano_arrivals.hash', 'order_arrivals.hash')
    .select(['nano_arrivals.hash', 'nano_arrivals.source', 'nano_arrivals.amount'])
    .where('order_arrivals.order_id', '=', orderId)
    .where('order_arrivals.spent_at', 'is', null)
    .orderBy('nano_arrivals.number')
    .execute()

export const spendArrivals = (tx: Tx, orderId: string, now: Date): Promise<unknown> =>
  tx
    .updateTable('order_arrivals')
    .set({ spent_at: now })
    .where('order_id', '=', orderId)
    .where('spent_at', 'is', null)
    .execute()

/** Those that expired by then, still have unspent money, and have no living job whose key begins so. */
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
