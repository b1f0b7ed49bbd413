import { type Selectable, sql } from 'kysely'
import type { PaymentRow } from '../../payments/x402/payment-store.ts'
import type { Db, Tx } from '../../platform/database/database.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    checkouts: CheckoutTable
  }
}

/** Checkouts in USDC. One in Nano is its order, and has the order's id. */
interface CheckoutTable {
  id: string
  post_id: string
  payee_id: string
  account_id: string | null
  amount: string
  pay_to: string
  created_at: Date
  expires_at: Date
}

export type CheckoutRow = Selectable<CheckoutTable>

export const addCheckout = (tx: Tx, checkout: CheckoutRow): Promise<unknown> =>
  tx.insertInto('checkouts').values(checkout).execute()

export const findCheckout = (db: Db | Tx, id: string): Promise<CheckoutRow | undefined> =>
  db.selectFrom('checkouts').selectAll().where('id', '=', id).executeTakeFirst()

/** The payment that counts: the settled one, else the newest. */
export const findCheckoutPayment = (db: Db | Tx, id: string): Promise<PaymentRow | undefined> =>
  db
    .selectFrom('x402_payments')
    .selectAll()
    .where('checkout_id', '=', id)
    .orderBy(({ eb }) => eb('state', '=', 'settled'), 'desc')
    .orderBy('created_at', 'desc')
    .executeTakeFirst()

/** A position in the list of guests' checkouts, which is sorted by expiry. */
export interface CheckoutPosition {
  readonly id: string
  readonly expires_at: Date
}

/** Checkouts of guests that expired before `expiredBy`, the oldest first. */
export const listGuestCheckouts = async (
  tx: Tx,
  { expiredBy, after, limit }: { expiredBy: Date; after: CheckoutPosition | undefined; limit: number },
): Promise<CheckoutPosition[]> => {
  const { rows } = await sql<CheckoutPosition>`
    SELECT id, expires_at FROM checkouts WHERE account_id IS NULL AND expires_at < ${expiredBy}
      AND (${after?.id ?? null}::uuid IS NULL OR (expires_at, id) > (${after?.expires_at ?? null}, ${after?.id ?? null}))
    ORDER BY expires_at, id LIMIT ${limit}`.execute(tx)
  return rows
}

/** Removes those without any payment, and returns their ids. */
export const removeUnpaidCheckouts = async (tx: Tx, ids: readonly string[]): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    DELETE FROM checkouts checkout WHERE id = ANY(${ids}::uuid[])
      AND NOT EXISTS (SELECT FROM x402_payments WHERE checkout_id = checkout.id) RETURNING id`.execute(tx)
  return rows.map(({ id }) => id)
}
