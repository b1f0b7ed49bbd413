import type { Obligation } from '@pennypost/contract/obligations'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import type { PayoutRow } from '../payouts/payout-store.ts'

export interface ObligationRow extends PayoutRow {
  readonly handle: string | null
  readonly order_kind: 'purchase' | 'tip' | null
}

export interface ObligationPlace {
  readonly at: Date
  readonly id: string
}

const shown: RawBuilder<unknown> = sql`SELECT payout.*, payee.handle, orders.kind AS order_kind FROM payouts payout
  LEFT JOIN accounts payee ON payee.id = payout.payee_id
  LEFT JOIN orders ON orders.id = payout.order_id`

/**
 * The open obligations, the oldest first, after a position if one is given. Leaves out commission that waits for its sweep:
 * nobody has to act on it, and it would be listed before what is stuck.
 */
export async function listObligationRows(
  db: Db,
  state: 'blocked' | 'waiting',
  after: ObligationPlace | undefined,
  limit: number,
): Promise<ObligationRow[]> {
  const { rows } = await sql<ObligationRow>`${shown}
    WHERE payout.state = ${state}
      AND NOT (payout.state = 'waiting' AND payout.role = 'house'
        AND NOT EXISTS (SELECT FROM nano_sends WHERE nano_sends.id = payout.id))
      AND (payout.created_at, payout.id) > (${after?.at ?? '-infinity'}::timestamptz, ${after?.id ?? null}::uuid)
    ORDER BY payout.created_at, payout.id LIMIT ${limit}`.execute(db)
  return rows
}

export async function findObligation(db: Db, id: string): Promise<ObligationRow | undefined> {
  const { rows } = await sql<ObligationRow>`${shown} WHERE payout.id = ${id}`.execute(db)
  return rows[0]
}

export const lockPayout = (tx: Tx, id: string): Promise<PayoutRow | undefined> =>
  tx.selectFrom('payouts').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** The sender of the money that a refund returns. */
export const findSender = async (tx: Tx, arrivalHash: string): Promise<string> =>
  (await tx.selectFrom('nano_arrivals').select('source').where('hash', '=', arrivalHash).executeTakeFirstOrThrow())
    .source

export const obligationView = (row: ObligationRow): Obligation => ({
  id: row.id,
  role: row.role,
  status: row.state === 'blocked' ? 'blocked' : 'waiting',
  reason: row.blocked_reason,
  asset: 'XNO',
  amountRaw: row.amount,
  destination: row.destination,
  payee: row.payee_id !== null && row.handle !== null ? { id: row.payee_id, handle: row.handle } : null,
  sourceKind: row.order_kind,
  sourceId: row.order_id,
  createdAt: row.created_at.toISOString(),
})
