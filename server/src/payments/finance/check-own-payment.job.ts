import type { Asset } from '@pennypost/contract/money'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../../platform/database/database.ts'
import { countOwnMoney, lockAccountFigures } from '../../profiles/account-figures.ts'
import { NodeRefusal } from '../../rails/node-errors.ts'
import type { OrderRow } from '../orders/order-store.ts'
import type { Job, PaymentServices } from '../services.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    own_payment_checks: { order_id: string; is_own: boolean }
  }
}

const payload = z.object({ orderId: z.uuid() })
/** How many blocks of a payer's wallet are searched for money of the payee. */
const searchedBlocks = 200

/**
 * Keeps payments to oneself off the leaderboards, where tipping in a circle would cost nothing. A payment is one's own if
 * it comes from a wallet of the payee, or from a wallet that the payee's wallet has sent money to. What two accounts pay
 * each other counts only as far as one paid more.
 */
export const checkOwnPayment: Job<typeof payload> = {
  name: 'check-own-payment',
  payload,
  attempts: 8,
  share: 'spare',
  lowPriority: true,
  async run(services, { orderId }) {
    const { db } = services
    const order = await findPaidOrder(db, orderId)
    if (!order) return
    const isOwn = await isPaidByPayee(services, order)
    await db.transaction().execute((tx) => takeOffBoards(tx, order, isOwn))
  },
  // If no node can tell, the payment counts.
  async onLastFailure() {},
}

type PaidOrder = Pick<
  OrderRow,
  'id' | 'kind' | 'asset' | 'payer_id' | 'payer_wallet' | 'payee_id' | 'recipient' | 'amount_raw' | 'commission_raw'
> & { readonly sources: readonly string[] }

async function findPaidOrder(db: Db, id: string): Promise<PaidOrder | undefined> {
  const { rows } = await sql<PaidOrder>`
    SELECT id, kind, asset, payer_id, payer_wallet, payee_id, recipient, amount_raw, commission_raw, ARRAY(
      SELECT DISTINCT arrival.source FROM order_arrivals JOIN nano_arrivals arrival USING (hash)
      WHERE order_arrivals.order_id = orders.id) AS sources
    FROM orders WHERE id = ${id} AND state IN ('received', 'paid')`.execute(db)
  return rows[0]
}

async function isPaidByPayee({ db, nano }: PaymentServices, order: PaidOrder): Promise<boolean> {
  const own = new Set([...(await addressesOf(db, order.payee_id)), order.recipient.toLowerCase()])
  const paying = [...order.sources, ...(order.payer_wallet === null ? [] : [order.payer_wallet])]
  const ofPayer = order.payer_id === null ? [] : await addressesOf(db, order.payer_id)
  if ([...paying, ...ofPayer].some((address) => own.has(address.toLowerCase()))) return true
  for (const source of order.sources) {
    const { entries } = await nano.client.accountHistory(source, { count: searchedBlocks }).catch(noneIfRefused)
    if (entries.some(({ type, account }) => type === 'receive' && own.has(account))) return true
  }
  return false
}

/** A node that refuses will refuse again: as far as we can tell, the wallet has no money of the payee. */
function noneIfRefused(error: unknown): { entries: [] } {
  if (error instanceof NodeRefusal) return { entries: [] }
  throw error
}

/** The wallets that sign in to an account, and the addresses it is paid at. */
async function addressesOf(db: Db, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT lower(address) AS address FROM wallets WHERE account_id = ${accountId}
    UNION SELECT lower(address) FROM receiving_addresses WHERE account_id = ${accountId}`.execute(db)
  return rows.map(({ address }) => address)
}

async function takeOffBoards(tx: Tx, order: PaidOrder, isOwn: boolean): Promise<void> {
  const { id, kind, asset, payer_id: payerId, payee_id: payeeId } = order
  await lockAccountFigures(tx, payerId === null ? [payeeId] : [payerId, payeeId])
  const added = await sql`
    INSERT INTO own_payment_checks (order_id, is_own) VALUES (${id}, ${isOwn}) ON CONFLICT DO NOTHING RETURNING order_id`.execute(
    tx,
  )
  // The job ran before.
  if (added.rows.length === 0) return
  const gross = BigInt(order.amount_raw)
  if (isOwn) {
    await countOwnMoney(tx, asset, [
      { accountId: payeeId, sales: kind === 'purchase' ? 1 : 0, earned: gross - BigInt(order.commission_raw) },
      ...(payerId === null ? [] : [{ accountId: payerId, given: gross }]),
    ])
  } else if (payerId !== null) {
    const paid = await paidBetween(tx, asset, payerId, payeeId)
    const returned = smaller(paid.there, paid.back) - smaller(paid.there - gross, paid.back)
    if (returned === 0n) return
    await countOwnMoney(tx, asset, [
      { accountId: payeeId, earned: returned, given: returned },
      { accountId: payerId, earned: returned, given: returned },
    ])
  }
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** The amounts that two accounts have paid each other in an asset, in the orders that were checked. */
async function paidBetween(
  tx: Tx,
  asset: Asset,
  payerId: string,
  payeeId: string,
): Promise<{ there: bigint; back: bigint }> {
  const { rows } = await sql<{ there: string; back: string }>`
    SELECT coalesce(sum(amount_raw) FILTER (WHERE payer_id = ${payerId}), 0) AS there,
      coalesce(sum(amount_raw) FILTER (WHERE payer_id = ${payeeId}), 0) AS back
    FROM orders JOIN own_payment_checks checked ON checked.order_id = orders.id AND NOT checked.is_own
    WHERE asset = ${asset} AND ((payer_id = ${payerId} AND payee_id = ${payeeId})
      OR (payer_id = ${payeeId} AND payee_id = ${payerId}))`.execute(tx)
  return { there: BigInt(rows[0]!.there), back: BigInt(rows[0]!.back) }
}
