import type { Db } from '../../platform/database/database.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    spent_nonces: { nonce: string; expires_at: Date }
  }
}

/** False: the nonce was used before. It is one statement, so of many at the same time only one succeeds. */
export async function burnNonce(db: Db, nonce: string, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('spent_nonces')
    .values({ nonce, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Expired nonces are refused without a lookup, so they need not be kept. */
export const forgetNonces = (db: Db, now: Date): Promise<unknown> =>
  db.deleteFrom('spent_nonces').where('expires_at', '<', now).execute()
