import { createHash } from 'node:crypto'
import { type ColumnType, type Selectable, sql } from 'kysely'
import type { Wallet } from '../../payments/entitlements/entitlement-store.ts'
import type { Db, Tx } from '../../platform/database/database.ts'
import { type PaymentState, paymentMoves } from './payment-state.ts'
import type { Quote } from './quote.ts'
import type { Purpose } from './quote-token.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    x402_payments: PaymentTable
    usdc_transactions: {
      hash: string
      payment_id: string
      signer: string
      nonce: string
      raw: string
      signed_at: Date
      /** One of the same payment with the same nonce and a lower fee. */
      replaces: string | null
    }
  }
}

interface PaymentTable {
  id: string
  state: PaymentState
  purpose: Purpose
  post_id: string
  payee_id: string
  network: Wallet['network']
  asset: string
  payer: string
  nonce: string
  previous: string | null
  amount: string
  pay_to: string
  quote_hash: Buffer
  proof: ColumnType<unknown, string, never>
  identifier: string | null
  valid_before: string | null
  seen_at_block: string | null
  checkout_id: string | null
  account_id: string | null
  order_id: string | null
  failure: string | null
  /** USDC: the authorization is gone for good. Until then a failed payment may still bring money. */
  is_final: ColumnType<boolean, never, boolean>
  /** What moved the money; before that, the last that was signed to move it. */
  transaction: string | null
  created_at: Date
  settled_at: Date | null
}

export type PaymentRow = Selectable<PaymentTable>
export type NewPayment = Omit<PaymentRow, 'state' | 'failure' | 'is_final' | 'transaction' | 'settled_at' | 'proof'> & {
  readonly proof: object
}

/** A token is a secret of its buyer: kept as a hash. */
export const quoteHashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Whether a payment was made under this quote: the same token, for the same thing. */
export const isOf = (payment: PaymentRow, { token, postId, purpose }: Quote): boolean =>
  payment.quote_hash.equals(quoteHashOf(token)) && payment.post_id === postId && payment.purpose === purpose

/** One proof at a time for a quote, from looking to writing down. Until the transaction ends. */
export const lockQuote = (tx: Tx, token: string): Promise<unknown> =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${token}, 402))`.execute(tx)

type Buying = Pick<PaymentRow, 'network' | 'asset' | 'payer' | 'post_id'>

/** One proof at a time of a wallet for a Post, whatever its quote. Taken after the quote's. Until the transaction ends. */
export const lockBuying = (tx: Tx, { network, payer, post_id }: Buying): Promise<unknown> =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${network} ${payer} ${post_id}`}, 402))`.execute(tx)

/** What this wallet is paying for this Post already. Under its lock. */
export const findUnderWay = (tx: Tx, { network, asset, payer, post_id }: Buying): Promise<PaymentRow | undefined> =>
  tx
    .selectFrom('x402_payments')
    .selectAll()
    .where('network', '=', network)
    .where('asset', '=', asset)
    .where('payer', '=', payer)
    .where('post_id', '=', post_id)
    .where('purpose', '<>', 'tip')
    .where('state', '=', 'settling')
    .orderBy('created_at')
    .executeTakeFirst()

export const findPayment = (db: Db | Tx, id: string): Promise<PaymentRow | undefined> =>
  db.selectFrom('x402_payments').selectAll().where('id', '=', id).executeTakeFirst()

export const lockPayment = (tx: Tx, id: string): Promise<PaymentRow> =>
  tx.selectFrom('x402_payments').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow()

export const findBlockPayment = (db: Db | Tx, hash: string): Promise<PaymentRow | undefined> =>
  db
    .selectFrom('x402_payments')
    .selectAll()
    .where('network', '=', 'nano:mainnet')
    .where('nonce', '=', hash)
    .executeTakeFirst()

export const findAuthorizationPayment = (
  db: Db | Tx,
  { asset, payer, nonce }: Pick<PaymentRow, 'asset' | 'payer' | 'nonce'>,
): Promise<PaymentRow | undefined> =>
  db
    .selectFrom('x402_payments')
    .selectAll()
    .where('network', '=', 'eip155:8453')
    .where('asset', '=', asset)
    .where('payer', '=', payer)
    .where('nonce', '=', nonce)
    .executeTakeFirst()

/** The payment that its payer gave this name. */
export const findIdentifiedPayment = (
  db: Db,
  { network, payer, identifier }: { network: Wallet['network']; payer: string; identifier: string },
): Promise<PaymentRow | undefined> =>
  db
    .selectFrom('x402_payments')
    .selectAll()
    .where('network', '=', network)
    .where('payer', '=', payer)
    .where('identifier', '=', identifier)
    .executeTakeFirst()

/** Whether a quote was paid for. Under its lock. */
export const isQuoteSettled = async (tx: Tx, token: string): Promise<boolean> =>
  (await tx
    .selectFrom('x402_payments')
    .select('id')
    .where('quote_hash', '=', quoteHashOf(token))
    .where('state', '=', 'settled')
    .executeTakeFirst()) !== undefined

/** Undefined: its proof is known, or another one stands on the same block or for the same quote. */
export const addPayment = (tx: Tx, payment: NewPayment): Promise<PaymentRow | undefined> =>
  tx
    .insertInto('x402_payments')
    .values({
      ...payment,
      state: 'settling',
      failure: null,
      transaction: null,
      settled_at: null,
      proof: JSON.stringify(payment.proof),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

/** No row back means that somebody else was first. */
export function movePayment(
  tx: Db | Tx,
  id: string,
  move: keyof typeof paymentMoves,
  change:
    | {
        readonly settled_at: Date
        readonly order_id?: string
        readonly account_id?: string | null
        readonly transaction: string
      }
    | { readonly failure: string },
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

/** No money can come of it any more. */
export const endPayment = (db: Db, id: string): Promise<unknown> =>
  db.updateTable('x402_payments').set({ is_final: true }).where('id', '=', id).where('state', '=', 'failed').execute()

/** The last that was signed to move the money. */
export const noteTransaction = (tx: Db | Tx, id: string, hash: string): Promise<unknown> =>
  tx
    .updateTable('x402_payments')
    .set({ transaction: hash })
    .where('id', '=', id)
    .where('state', '<>', 'settled')
    .execute()
