import { sql } from 'kysely'
import type { Db } from '../platform/database/database.ts'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'

/** Deletes how often the posts of a deleted account were read. */
export async function eraseStatistics(db: Db, accountId: string): Promise<void> {
  for (const table of ['post_days', 'post_referrers']) await deleteInBatches(db, table, sql`account_id = ${accountId}`)
}
