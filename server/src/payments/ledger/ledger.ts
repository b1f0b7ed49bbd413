import { type Amount, type Asset, storedSale, wholeUnits } from '@pennypost/contract/money'
import { type Generated, sql } from 'kysely'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/jobs/job.ts'
import { countPostTip, countSale, tipTotals } from '../../posts/post-figures.ts'
import { countPayment } from '../../profiles/account-figures.ts'
import { checkOwnPayment } from '../finance/check-own-payment.job.ts'
import { notifyOfMoney } from '../finance/notify-of-money.job.ts'
import type { OrderRow } from '../orders/order-store.ts'
import type { PaymentServices } from '../services.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    ledger_movements: {
      id: Generated<string>
      asset: Asset
      kind: MovementKind
      cause: string
      order_id: string | null
      at: Date
    }
    ledger_entries: { movement_id: string; account_kind: AccountKind; account_ref: string; amount: string }
  }
}

type MovementKind = 'arrival' | 'sale' | 'tip' | 'refund' | 'payout'
/** Whose money an entry is about (see the README). What we have is positive, what we owe is negative. */
type AccountKind = 'chain' | 'order' | 'creator' | 'house' | 'refund' | 'outside'

export interface Entry<A extends Asset> {
  readonly account: AccountKind
  readonly ref: string
  readonly amount: Amount<A>
}

/** All entries are of one asset, and their sum is zero. */
interface Movement<A extends Asset> {
  readonly asset: A
  readonly kind: MovementKind
  /** The event that caused it, such as `arrival:HASH`. A cause has one movement: recording it again is an error. */
  readonly cause: string
  readonly orderId: string | null
  readonly at: Date
  /** Entries of zero are left out. */
  readonly entries: readonly Entry<NoInfer<A>>[]
}

/** The other side of an entry. */
export const negative = <A extends Asset>(amount: Amount<A>): Amount<A> => -amount as Amount<A>

/** Records a movement permanently. The database checks again that it is balanced when the transaction ends. */
export async function book<A extends Asset>(tx: Tx, movement: Movement<A>): Promise<void> {
  const { asset, kind, cause, orderId, at, entries } = movement
  const total = entries.reduce((sum, { amount }) => sum + amount, 0n)
  if (total !== 0n) throw new Error(`${cause} is not balanced: ${total}`)
  const written = entries
    .filter(({ amount }) => amount !== 0n)
    .map(({ account, ref, amount }) => ({ kind: account, ref, amount: String(amount) }))
  await sql`
    WITH movement AS (
      INSERT INTO ledger_movements (asset, kind, cause, order_id, at)
      VALUES (${asset}, ${kind}, ${cause}, ${orderId}, ${at}) RETURNING id
    )
    INSERT INTO ledger_entries (movement_id, account_kind, account_ref, amount)
    SELECT movement.id, entry.kind, entry.ref, entry.amount
    FROM movement, jsonb_to_recordset(${JSON.stringify(written)}::jsonb) AS entry(kind text, ref text, amount numeric)`.execute(
    tx,
  )
}

type MoneyEvent =
  | { readonly kind: 'sale-received' | 'tip-received'; readonly order: OrderRow }
  | {
      readonly kind: 'payout-confirmed' | 'payout-blocked'
      readonly payout: { id: string; role: string; payee_id: string | null }
    }

type MoneyServices = Pick<PaymentServices, 'clock' | 'moneyCounters'>

/**
 * Updates the figures for a sale, tip or payout, and enqueues its notification. It runs in the transaction that books the
 * money, so figures and ledger agree. The notification is a job, so payments never wait for it.
 */
export async function recordMoney(services: MoneyServices, tx: Tx, event: MoneyEvent): Promise<void> {
  const { clock } = services
  count(services, event)
  if ('order' in event) {
    const { order } = event
    const { gross, net } = storedSale(order.asset, order.amount_raw, order.commission_raw)
    await (event.kind === 'sale-received' ? countSale(tx, order.post_id) : countTip(tx, order))
    await countPayment(tx, {
      payerId: order.payer_id,
      payeeId: order.payee_id,
      isSale: order.kind === 'purchase',
      asset: order.asset,
      gross: String(gross),
      net: String(net),
    })
    await writeLines(tx, order)
    await enqueue(tx, clock, checkOwnPayment, { orderId: order.id })
  }
  // Nobody is notified of commission and of refunds of transfer logins.
  if ('payout' in event && event.payout.payee_id === null) return
  const id = 'order' in event ? event.order.id : event.payout.id
  await enqueue(tx, clock, notifyOfMoney, { event: event.kind, id })
}

function count({ moneyCounters: { sales, volume, payouts } }: MoneyServices, event: MoneyEvent): void {
  if ('payout' in event) {
    payouts.inc({ role: event.payout.role, outcome: event.kind === 'payout-confirmed' ? 'confirmed' : 'blocked' })
    return
  }
  const { asset, kind, amount_raw } = event.order
  sales.inc({ asset, kind })
  volume.inc({ asset }, wholeUnits(asset, amount_raw))
}

/** Counts a tip for a post, or for a comment and its supporter. */
async function countTip(tx: Tx, order: OrderRow): Promise<void> {
  const { asset, post_id: postId, comment_id: commentId, payer_id, payer_wallet, amount_raw: amount } = order
  if (commentId === null) return countPostTip(tx, postId, asset, amount)
  const supporter = sql.ref(payer_id === null ? 'wallet' : 'account_id')
  const total = sql.ref(tipTotals[asset])
  await sql`
    INSERT INTO comment_supporters AS known (comment_id, ${supporter}, ${total})
    VALUES (${commentId}, ${payer_id ?? payer_wallet}, ${amount})
    ON CONFLICT (comment_id, ${supporter}) DO UPDATE SET ${total} = known.${total} + excluded.${total}`.execute(tx)
}

/**
 * Writes what the payer paid and what the payee received, each with the totals up to it. Both accounts are locked
 * already. A payer without an account has no lines.
 */
async function writeLines(tx: Tx, order: OrderRow): Promise<void> {
  const { id, payer_id, payee_id, asset, amount_raw, commission_raw } = order
  await sql`
    INSERT INTO finance_lines (account_id, direction, asset, order_id, gross_raw, commission_raw, net_raw, line_count,
      gross_total, commission_total, net_total)
    SELECT side.account_id, side.direction, ${asset}, ${id}, side.gross, side.commission, side.gross - side.commission,
      coalesce(last.line_count, 0) + 1, coalesce(last.gross_total, 0) + side.gross,
      coalesce(last.commission_total, 0) + side.commission,
      coalesce(last.net_total, 0) + side.gross - side.commission
    FROM (VALUES (${payer_id}::uuid, 'out', ${amount_raw}::numeric, ${commission_raw}::numeric),
      (${payee_id}::uuid, 'in', ${amount_raw}::numeric, ${commission_raw}::numeric)) AS side(account_id, direction, gross, commission)
    LEFT JOIN LATERAL (
      SELECT line_count, gross_total, commission_total, net_total FROM finance_lines before
      WHERE before.account_id = side.account_id AND before.direction = side.direction AND before.asset = ${asset}
      ORDER BY before.position DESC LIMIT 1) last ON true
    WHERE side.account_id IS NOT NULL`.execute(tx)
}
