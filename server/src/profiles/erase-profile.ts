import { sql } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import { cancelProfileImageUploads } from '../uploads/post-uploads.ts'
import { removeFollow } from './follows/follow-store.ts'

/**
 * Removes what an account says about itself, and where it is paid. Money that is already owed still goes to the address of
 * its order.
 */
export async function removeProfile(tx: Tx, clock: Clock, accountId: string): Promise<void> {
  for (const kind of ['avatar', 'header'] as const) await cancelProfileImageUploads(tx, clock, accountId, kind)
  for (const table of ['profiles', 'receiving_addresses', 'account_summaries', 'account_day_summaries'])
    await sql`DELETE FROM ${sql.table(table)} WHERE account_id = ${accountId}`.execute(tx)
}

const batchSize = 200

/** Ends every follow of an account, in both directions. */
export async function eraseFollows(db: Db, accountId: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ creatorId: string; followerId: string }>`
      SELECT creator_id AS "creatorId", follower_id AS "followerId" FROM follows WHERE creator_id = ${accountId}
      UNION ALL SELECT creator_id, follower_id FROM follows WHERE follower_id = ${accountId} LIMIT ${batchSize}`.execute(
      db,
    )
    if (rows.length === 0) return
    for (const pair of rows) await db.transaction().execute((tx) => removeFollow(tx, pair))
  }
}
