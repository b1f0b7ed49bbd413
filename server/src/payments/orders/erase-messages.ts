import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

/** Erases the messages of the tips that a deleted account gave. The tips stay. */
export const eraseMessages = (db: Db, accountId: string): Promise<unknown> =>
  sql`UPDATE orders SET message = NULL WHERE payer_id = ${accountId} AND message IS NOT NULL`.execute(db)
