import type { Db } from '../../platform/database/database.ts'
import { faultPoint } from '../../platform/fault-point.ts'
import type { SignedTransaction } from '../../rails/base/payment/facilitator.ts'
import type { Hex } from '../../rails/base/rpc/chain-answers.ts'
import { noteTransaction } from './payment-store.ts'

/**
 * Commits a transaction before a node hears of it; or answers the one that has its signer's nonce already. One that
 * replaces another of the same payment shares that one's nonce (the database holds it to that), and both stay.
 */
export async function storeTransaction(
  db: Db,
  paymentId: string,
  { hash, raw, signer, nonce, replaces }: SignedTransaction,
  now: Date,
): Promise<'stored' | { takenBy: Hex }> {
  faultPoint('usdc-transaction-signed')
  const isStored = await db.transaction().execute(async (tx) => {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('usdc_transactions')
      .values({
        hash,
        payment_id: paymentId,
        signer,
        nonce: String(nonce),
        raw,
        signed_at: now,
        replaces: replaces ?? null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows !== 1n) return false
    await noteTransaction(tx, paymentId, hash)
    return true
  })
  faultPoint('usdc-transaction-stored')
  if (isStored) return 'stored'
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
