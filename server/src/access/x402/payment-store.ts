import { createHash } from 'node:crypto'
import { type ColumnType, type Selectable, sql } from 'kysely'
import type { Wallet } from '../../payments/sessions/session-store.ts'
import type { Db, Tx } from '../../platform/database/database.ts'
import { type PaymentState, paymentMoves } from './payment-state.ts'
import type { Purpose } from './quote-token.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    x402_payments: PaymentTable
  }
}

interface PaymentTable {
  id: string
  state: PaymentState
  purpose: Purpose
  post_id: string
  network: Wallet['network']
  asset: string
  payer: string
  nonce: string
  previous: string | null
  amount: string
  pay_to: string
  quote_hash: Buffer
  proof: ColumnType<unknown, string, never>
  account_id: string | null
  session_id: string | null
  failure: string | null
  created_at: Date
  settled_at: Date | null
}

export type PaymentRow = Selectable<PaymentTable>
export type NewPayment = Omit<PaymentRow, 'state' | 'failure' | 'settled_at' | 'proof'> & { readonly proof: unknown }

/** A token is a secret of its buyer: kept as a hash. */
export const quoteHashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** One proof at a time for a quote, from looking to writing down. Until the transaction ends. */
export const lockQuote = (tx: Tx, token: string): Promise<unknown> =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${token}, 402))`.execute(tx)

export const findPayment = (db: Db | Tx, id: string): Promise<PaymentRow | undefined> =>
  db.selectFrom('x402_payments').selectAll().where('id', '=', id).executeTakeFirst()

export const findBlockPayment = (db: Db | Tx, hash: string): Promise<PaymentRow | undefined> =>
  db
    .selectFrom('x402_payments')
    .selectAll()
    .where('network', '=', 'nano:mainnet')
    .where('nonce', '=', hash)
    .executeTakeFirst()

/** Undefined: its proof is known, or another one stands on the same block or for the same quote. */
export const addPayment = (tx: Tx, payment: NewPayment): Promise<PaymentRow | undefined> =>
  tx
    .insertInto('x402_payments')
    .values({ ...payment, state: 'settling', failure: null, settled_at: null, proof: JSON.stringify(payment.proof) })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

/** No row back means that somebody else was first. */
export function movePayment(
  tx: Db | Tx,
  id: string,
  move: keyof typeof paymentMoves,
  change: { readonly settled_at: Date } | { readonly failure: string },
): Promise<PaymentRow | undefined> {
  const { from, to } = paymentMoves[move]
  return tx
    .updateTable('x402_payments')
    .set({ state: to, settled_at: null, failure: null, ...change })
    .where('id', '=', id)
    .where('state', 'in', from)
    .returningAll()
    .executeTakeFirst()
}
