import { type Asset, networkOf } from '@pennypost/contract/money'
import { type ColumnType, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { lockPostFigures } from '../../posts/post-figures.ts'
import { type OrderState, orderMoves } from './order-state.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    orders: OrderTable
    order_arrivals: { hash: string; order_id: string; spent_at: Date | null }
    entitlements: {
      account_id: string
      post_id: string
      source: EntitlementSource
      order_id: string | null
      granted_at: Date
    }
    wallet_entitlements: {
      network: Wallet['network']
      wallet: string
      post_id: string
      source: Exclude<EntitlementSource, 'purchase'>
      granted_at: Date
    }
  }
}

export type OrderKind = 'purchase' | 'tip'

export type EntitlementSource = 'purchase' | 'x402' | 'checkout'

/** A wallet, as its network spells it. */
export interface Wallet {
  readonly network: 'nano:mainnet' | 'eip155:8453'
  readonly address: string
}

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

/** What a buyer is granted. */
export interface Grant {
  readonly postId: string
  readonly accountId: string | null
  readonly wallet: Wallet | null
  readonly source: EntitlementSource
  readonly orderId: string | null
}

/** For an order's payer: the account, the wallet that paid by itself, or both. */
export const grantPost = (tx: Tx, order: OrderRow, now: Date): Promise<boolean> =>
  grant(tx, now, {
    postId: order.post_id,
    accountId: order.payer_id,
    orderId: order.id,
    wallet: order.payer_wallet === null ? null : { network: networkOf[order.asset], address: order.payer_wallet },
    source: order.payer_wallet === null ? 'purchase' : 'x402',
  })

/** False: they have the Post already. A second buyer at the same moment waits here for the first. */
export async function grant(tx: Tx, now: Date, granted: Grant): Promise<boolean> {
  const { postId, accountId, wallet, source, orderId } = granted
  // What refers to a Post holds it, and its figures are to be counted too: they are locked first.
  await lockPostFigures(tx, postId)
  if (source === 'purchase' && accountId !== null && (await hasBought(tx, accountId, postId))) return false
  const shared = { post_id: postId, granted_at: now }
  if (accountId !== null) {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('entitlements')
      .values({ ...shared, account_id: accountId, source, order_id: orderId })
      .onConflict((conflict) => conflict.columns(['account_id', 'post_id']).doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows !== 1n) return false
  }
  if (wallet === null || source === 'purchase') return true
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('wallet_entitlements')
    .values({ ...shared, network: wallet.network, wallet: wallet.address, source })
    .onConflict((conflict) => conflict.columns(['network', 'wallet', 'post_id']).doNothing())
    .executeTakeFirst()
  return accountId !== null || numInsertedOrUpdatedRows === 1n
}

/** The account itself, or a wallet that is linked to it: whoever may read the Post need not pay for it again. */
export async function hasBought(db: Db | Tx, accountId: string, postId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM entitlements WHERE account_id = ${accountId} AND post_id = ${postId}
    UNION ALL SELECT FROM wallets own CROSS JOIN LATERAL (SELECT FROM wallet_entitlements paid
      WHERE paid.network = CASE own.kind WHEN 'nano' THEN 'nano:mainnet' ELSE 'eip155:8453' END
        AND paid.wallet = own.address AND paid.post_id BETWEEN ${postId} AND ${postId} OFFSET 0) paid
    WHERE own.account_id = ${accountId}
    LIMIT 1`.execute(db)
  return rows.length > 0
}

export async function hasWalletBought(db: Db | Tx, wallet: Wallet, postId: string): Promise<boolean> {
  const found = await db
    .selectFrom('wallet_entitlements')
    .select('source')
    .where('network', '=', wallet.network)
    .where('wallet', '=', wallet.address)
    .where('post_id', '=', postId)
    .executeTakeFirst()
  return found !== undefined
}

/** To another account, unless that has the Post already: then it stays where it is. */
export async function moveEntitlement(
  tx: Tx,
  postId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await sql`UPDATE entitlements SET account_id = ${to} WHERE account_id = ${from} AND post_id = ${postId}
    AND NOT EXISTS (SELECT FROM entitlements WHERE account_id = ${to} AND post_id = ${postId})`.execute(tx)
}
