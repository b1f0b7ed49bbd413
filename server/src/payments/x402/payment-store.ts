import { createHash } from 'node:crypto'
import { type ColumnType, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { faultPoint } from '../../platform/fault-point.ts'
import { moves } from '../../platform/state-machine.ts'
import type { Hex } from '../../rails/base/rpc/chain-replies.ts'
import type { Network } from '../../rails/rail.ts'
import type { SignedTransaction } from '../../rails/settlement.ts'
import type { Purpose, X402Offer } from './x402-offer.ts'

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
      /** A transaction of the same payment with the same nonce and a lower fee. */
      replaces: string | null
    }
  }
}

export type PaymentState = 'settling' | 'settled' | 'failed'

/** The chain has the last word: money that comes after we gave up still settles the payment. */
export const paymentMoves = moves<PaymentState>()({
  settle: { from: ['settling', 'failed'], to: 'settled' },
  fail: { from: ['settling'], to: 'failed' },
})

interface PaymentTable {
  id: string
  state: PaymentState
  purpose: Purpose
  post_id: string
  /** A tip for a comment under the post. */
  comment_id: string | null
  payee_id: string
  network: Network
  asset: string
  payer: string
  nonce: string
  previous: string | null
  amount: string
  pay_to: string
  offer_hash: Buffer
  proof: ColumnType<unknown, string, never>
  identifier: string | null
  valid_before: string | null
  seen_at_block: string | null
  checkout_id: string | null
  account_id: string | null
  /** Who sent it, as `clientOf` keeps it. */
  client: Buffer | null
  order_id: string | null
  failure: string | null
  /** USDC: the authorization is gone for good. Until then a failed payment may still bring money. */
  is_final: ColumnType<boolean, never, boolean>
  /** The transaction that moved the money; before that, the last one that was signed to move it. */
  transaction: string | null
  created_at: Date
  settled_at: Date | null
  /** USDC: what our transactions for it have cost, as far as they are mined. */
  fee_wei: ColumnType<string | null, never, string>
  /** USDC: when our transaction for it was mined and moved nothing. Anyone else may still present it. */
  reverted_at: ColumnType<Date | null, never, Date>
}

export type PaymentRow = Selectable<PaymentTable>
type NewPayment = Omit<
  PaymentRow,
  'state' | 'failure' | 'is_final' | 'transaction' | 'settled_at' | 'fee_wei' | 'reverted_at' | 'proof'
> & {
  readonly proof: object
}

/** An offer's token is its buyer's secret, so only its hash is kept. */
export const offerHashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Whether a payment was made under this offer: the same token, for the same thing. */
export const isOf = (payment: PaymentRow, { token, postId, commentId, purpose }: X402Offer): boolean =>
  payment.offer_hash.equals(offerHashOf(token)) &&
  payment.post_id === postId &&
  payment.comment_id === (commentId ?? null) &&
  payment.purpose === purpose

/** One payment at a time for an offer, from looking to writing down, until the transaction ends. */
export const lockOffer = (tx: Tx, token: string): Promise<unknown> =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${token}, 402))`.execute(tx)

type Buying = Pick<PaymentRow, 'network' | 'asset' | 'payer' | 'post_id'>
type Tipping = Buying & Pick<PaymentRow, 'comment_id' | 'amount'>

/** One payment at a time of a wallet for a post, under any offer. Taken after the offer's lock, until the transaction ends. */
export const lockBuying = (tx: Tx, { network, payer, post_id }: Buying): Promise<unknown> =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${network} ${payer} ${post_id}`}, 402))`.execute(tx)

/** The payments that this wallet is making, the oldest first. */
const underWay = (tx: Tx, { network, payer }: Pick<PaymentRow, 'network' | 'payer'>) =>
  tx
    .selectFrom('x402_payments')
    .selectAll()
    .where('network', '=', network)
    .where('payer', '=', payer)
    .where('state', '=', 'settling')
    .orderBy('created_at')

/** The payment that this wallet is making for this post already. The caller holds `lockBuying`. */
export const findUnderWay = (tx: Tx, buying: Buying): Promise<PaymentRow | undefined> =>
  underWay(tx, buying)
    .where('asset', '=', buying.asset)
    .where('post_id', '=', buying.post_id)
    .where('purpose', '<>', 'tip')
    .executeTakeFirst()

/** The same tip that this wallet is giving already. The caller holds `lockBuying`. */
export const findTipUnderWay = (tx: Tx, tipping: Tipping): Promise<PaymentRow | undefined> =>
  underWay(tx, tipping)
    .where('asset', '=', tipping.asset)
    .where('post_id', '=', tipping.post_id)
    .where('comment_id', 'is not distinct from', tipping.comment_id)
    .where('amount', '=', tipping.amount)
    .where('purpose', '=', 'tip')
    .executeTakeFirst()

/** Another payment that this wallet is making, for anything. Holds a lock on the wallet until the transaction ends. */
export async function findOtherUnderWay(tx: Tx, network: Network, payer: string): Promise<PaymentRow | undefined> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${network} ${payer}`}, 402))`.execute(tx)
  return underWay(tx, { network, payer }).executeTakeFirst()
}

export const findPayment = (db: Db | Tx, id: string): Promise<PaymentRow | undefined> =>
  db.selectFrom('x402_payments').selectAll().where('id', '=', id).executeTakeFirst()

export const lockPayment = (tx: Tx, id: string): Promise<PaymentRow> =>
  tx.selectFrom('x402_payments').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow()

/** The payment that a proof made. A block's hash says who pays; an authorization's nonce is unique to its payer. */
export const findPresentedPayment = (
  db: Db | Tx,
  { network, asset, payer, nonce }: Pick<PaymentRow, 'network' | 'asset' | 'nonce'> & { payer: string | undefined },
): Promise<PaymentRow | undefined> =>
  db
    .selectFrom('x402_payments')
    .selectAll()
    .where('network', '=', network)
    .where('asset', '=', asset)
    .where('nonce', '=', nonce)
    .$if(payer !== undefined, (query) => query.where('payer', '=', payer!))
    .executeTakeFirst()

/** Settles the payment whose block has arrived, or fails it where the money did not buy and goes back. */
export async function settleByArrival(tx: Tx, hash: string, isSold: boolean, now: Date): Promise<void> {
  const payment = await tx
    .selectFrom('x402_payments')
    .select('id')
    .where('network', '=', 'nano:mainnet')
    .where('nonce', '=', hash)
    .executeTakeFirst()
  if (!payment) return
  if (isSold) await movePayment(tx, payment.id, 'settle', { settled_at: now, transaction: hash })
  else await movePayment(tx, payment.id, 'fail', { failure: 'the money is on its way back' })
}

/** The payment that its payer calls by this name. */
export const findIdentifiedPayment = (
  db: Db,
  { network, payer, identifier }: { network: Network; payer: string; identifier: string },
): Promise<PaymentRow | undefined> =>
  db
    .selectFrom('x402_payments')
    .selectAll()
    .where('network', '=', network)
    .where('payer', '=', payer)
    .where('identifier', '=', identifier)
    .executeTakeFirst()

/** Whether an offer was paid. The caller holds `lockOffer`. */
export const isOfferSettled = async (tx: Tx, token: string): Promise<boolean> =>
  (await tx
    .selectFrom('x402_payments')
    .select('id')
    .where('offer_hash', '=', offerHashOf(token))
    .where('state', '=', 'settled')
    .executeTakeFirst()) !== undefined

/** Thrown, so that nothing stays of what was begun: an order without its payment would take money and sell nothing. */
export class NotWritten extends Error {
  override name = 'NotWritten'
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Returns undefined if the payment is known, or another one is in progress on the same block or for the same offer. */
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

/** No row back means that another process was first. */
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

/** The authorization is gone for good: no money can come of it. */
export const endPayment = (db: Db, id: string): Promise<unknown> =>
  db.updateTable('x402_payments').set({ is_final: true }).where('id', '=', id).where('state', '=', 'failed').execute()

/** Notes the last transaction that was signed to move the money. */
export const noteTransaction = (tx: Db | Tx, id: string, hash: string): Promise<unknown> =>
  tx
    .updateTable('x402_payments')
    .set({ transaction: hash })
    .where('id', '=', id)
    .where('state', '<>', 'settled')
    .execute()

/**
 * Commits a transaction before it is sent to a node, or returns the one that has its signer's nonce already. One that
 * replaces another of the same payment shares that one's nonce (the database holds it to that), and both stay.
 */
export async function storeTransaction(
  db: Db,
  paymentId: string,
  { hash, raw, signer, nonce, replaces }: SignedTransaction,
  now: Date,
): Promise<'stored' | { takenBy: Hex }> {
  faultPoint('usdc-transaction-signed')
  const values = { hash, payment_id: paymentId, signer, nonce: String(nonce), raw, signed_at: now }
  const stored = await db
    .with('stored', (insert) =>
      insert
        .insertInto('usdc_transactions')
        .values({ ...values, replaces: replaces ?? null })
        .onConflict((conflict) => conflict.doNothing())
        .returning('hash'),
    )
    .with('noted', (update) =>
      update
        .updateTable('x402_payments')
        .from('stored')
        .set({ transaction: hash })
        .where('id', '=', paymentId)
        .where('state', '<>', 'settled'),
    )
    .selectFrom('stored')
    .select('hash')
    .executeTakeFirst()
  faultPoint('usdc-transaction-stored')
  if (stored) return 'stored'
  const rival = await db
    .selectFrom('usdc_transactions')
    .select('raw')
    .where('signer', '=', signer)
    .where('nonce', '=', String(nonce))
    .orderBy('signed_at', 'desc')
    .executeTakeFirstOrThrow()
  return { takenBy: rival.raw as Hex }
}

interface StoredTransaction {
  readonly hash: string
  readonly raw: Hex
  readonly signer: string
  readonly signedAt: Date
}

/** In the order they were signed. */
export const listTransactions = async (db: Db, paymentId: string): Promise<StoredTransaction[]> =>
  (await db
    .selectFrom('usdc_transactions')
    .select(['hash', 'raw', 'signer', 'signed_at as signedAt'])
    .where('payment_id', '=', paymentId)
    .orderBy('signed_at')
    .orderBy('nonce')
    .execute()) as StoredTransaction[]
