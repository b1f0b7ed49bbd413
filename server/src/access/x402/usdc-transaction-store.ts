import type { Db } from '../../platform/database/database.ts'
import type { SignedTransaction } from '../../rails/base/payment/facilitator.ts'
import type { Hex } from '../../rails/base/rpc/chain-answers.ts'
import { noteTransaction } from './payment-store.ts'

/** Commits a transaction before a node hears of it; or answers the one that has its signer's nonce already. */
export async function storeTransaction(
  db: Db,
  paymentId: string,
  { hash, raw, signer, nonce }: SignedTransaction,
  now: Date,
): Promise<'stored' | { takenBy: Hex }> {
  const isStored = await db.transaction().execute(async (tx) => {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('usdc_transactions')
      .values({ hash, payment_id: paymentId, signer, nonce: String(nonce), raw, signed_at: now })
      .onConflict((conflict) => conflict.columns(['signer', 'nonce']).doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows !== 1n) return false
    await noteTransaction(tx, paymentId, hash)
    return true
  })
  if (isStored) return 'stored'
  const rival = await db
    .selectFrom('usdc_transactions')
    .select('raw')
    .where('signer', '=', signer)
    .where('nonce', '=', String(nonce))
    .executeTakeFirstOrThrow()
  return { takenBy: rival.raw as Hex }
}

/** In the order they were signed. */
export const listTransactions = async (db: Db, paymentId: string): Promise<{ hash: string; raw: Hex }[]> =>
  (await db
    .selectFrom('usdc_transactions')
    .select(['hash', 'raw'])
    .where('payment_id', '=', paymentId)
    .orderBy('nonce')
    .execute()) as { hash: string; raw: Hex }[]
