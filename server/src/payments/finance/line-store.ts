import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.ts'
import type { OrderRow } from '../orders/order-store.ts'

/**
 * Counts a purchase or tip for both accounts, and locks their figures until the transaction ends: under this lock an
 * account's lines get their order. In the order of ids, as whoever locks two of them does.
 */
export async function countForAccounts(tx: Tx, order: OrderRow): Promise<void> {
  const { payer_id: payerId, payee_id: payeeId, amount_raw: gross, commission_raw: commission } = order
  const ids = [payerId, payeeId].filter((id) => id !== null).sort()
  // Earnings and gifts are counted in Nano.
  const nano = order.asset === 'XNO' ? 1 : 0
  await sql`INSERT INTO account_figures (account_id) SELECT unnest(${ids}::uuid[]) ON CONFLICT DO NOTHING`.execute(tx)
  await sql`SELECT FROM account_figures WHERE account_id = ANY(${ids}::uuid[]) ORDER BY account_id FOR UPDATE`.execute(
    tx,
  )
  await sql`
    UPDATE account_figures SET
      sales_count = sales_count + CASE account_id WHEN ${payeeId}::uuid THEN ${order.kind === 'purchase' ? 1 : 0}::int ELSE 0 END,
      earned_raw = earned_raw + CASE account_id WHEN ${payeeId}::uuid THEN (${gross}::numeric - ${commission}::numeric) * ${nano}::int ELSE 0 END,
      given_raw = given_raw + CASE account_id WHEN ${payerId}::uuid THEN ${gross}::numeric * ${nano}::int ELSE 0 END
    WHERE account_id = ANY(${ids}::uuid[])`.execute(tx)
}

/**
 * Writes what the payer paid and what the payee received, each with the totals up to it. Both are locked already. A
 * payer who is a wallet reads no lists.
 */
export async function writeLines(tx: Tx, order: OrderRow): Promise<void> {
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
