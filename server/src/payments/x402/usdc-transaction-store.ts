import type { Db } from '../../platform/database/database.ts'
import { faultPoint } from '../../platform/fault-point.ts'
import type { Hex } from '../../rails/base/rpc/chain-answers.ts'
import type { SignedTransaction } from '../../rails/settlement.ts'

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
