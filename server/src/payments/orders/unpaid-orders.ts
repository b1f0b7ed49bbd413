import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { AccountWithOld } from '../../platform/database/delete-by-account.ts'

/** The orders of an account that may be deleted: expired, without any payment, and not presented through x402. */
const isUnpaid = (before: Date) => sql`
  o.created_at < ${before} AND o.expires_at < ${before} AND o.received_at IS NULL AND o.received_raw = 0
  AND o.kind IN ('purchase', 'tip') AND NOT EXISTS (SELECT FROM x402_payments p WHERE p.order_id = o.id)
  AND NOT EXISTS (SELECT FROM order_arrivals a WHERE a.order_id = o.id)`

/** The next accounts, in id order, and whether they have orders that may be deleted. Uses the index of each payer's orders. */
export async function listPayers(db: Db, after: string, before: Date, limit: number): Promise<AccountWithOld[]> {
  // Not by EXISTS, for which PostgreSQL would read all orders once.
  const { rows } = await sql<AccountWithOld>`
    SELECT payer.id AS "accountId", old.id IS NOT NULL AS "hasOld"
    FROM (SELECT id FROM accounts WHERE id > ${after} ORDER BY id LIMIT ${limit}) payer
    LEFT JOIN LATERAL (SELECT o.id FROM orders o WHERE o.payer_id = payer.id AND ${isUnpaid(before)}
      ORDER BY o.kind, o.created_at LIMIT 1) old ON true
    ORDER BY payer.id`.execute(db)
  return rows
}

/**
 * Deletes some of an account's unpaid orders, with the stored replies to their keys: a client that sends a key again
 * starts over. Their addresses stay, so that money that is noticed there later goes back to its sender. Returns how many.
 */
export async function removeUnpaidOrders(
  db: Db,
  payerId: string,
  before: Date,
  { limit, now }: { readonly limit: number; readonly now: Date },
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    // A payment that is being noted has locked its order; that one is left for the next day.
    const { rows } = await sql<{ id: string; address_id: string | null }>`
      DELETE FROM orders WHERE id IN (
        SELECT o.id FROM orders o WHERE o.payer_id = ${payerId} AND ${isUnpaid(before)}
        ORDER BY o.created_at LIMIT ${limit} FOR UPDATE OF o SKIP LOCKED) RETURNING id, address_id`.execute(tx)
    await sql`DELETE FROM idempotent_replies
      WHERE scope = ANY (${[`purchase:${payerId}`, `tip:${payerId}`]}::text[])
        AND body ->> 'id' = ANY (${rows.map(({ id }) => id)}::text[])`.execute(tx)
    // Their orders are gone, so nobody can ask for a check: look at them once more.
    await sql`
      UPDATE nano_addresses SET next_check_at = ${now} WHERE id IN (
        SELECT id FROM nano_addresses WHERE id = ANY (${rows.map((row) => row.address_id)}::bigint[]) AND next_check_at IS NULL
        ORDER BY id FOR NO KEY UPDATE)`.execute(tx)
    return rows.length
  })
}
