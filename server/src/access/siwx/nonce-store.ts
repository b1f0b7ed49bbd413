import type { Db } from '../../platform/database/database.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    spent_nonces: { nonce: string; expires_at: Date }
  }
}

/** False: somebody used it before. One statement, so of many at once one is first. */
export async function burnNonce(db: Db, nonce: string, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('spent_nonces')
    .values({ nonce, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Once it is over a nonce is refused without being looked for. */
export const forgetNonces = (db: Db, now: Date): Promise<unknown> =>
  db.deleteFrom('spent_nonces').where('expires_at', '<', now).execute()
