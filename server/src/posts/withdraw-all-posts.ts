import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'

/**
 * Withdraws every post of an account that is being deleted, and ends schedules: nobody finds or buys them from now on. The
 * caller holds the lock on the account, which publishing takes too. Orders that are being opened do not wait for this lock:
 * the account is locked against them later, and both would wait for each other.
 */
export async function withdrawAllPosts(tx: Tx, accountId: string, now: Date): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM posts WHERE account_id = ${accountId} AND (status = 'published' OR scheduled_for IS NOT NULL)
    ORDER BY id FOR NO KEY UPDATE`.execute(tx)
  const ids = rows.map(({ id }) => id)
  await sql`
    UPDATE posts SET scheduled_for = NULL, status = CASE status WHEN 'published' THEN 'withdrawn' ELSE status END,
      withdrawn_at = CASE status WHEN 'published' THEN ${now} ELSE withdrawn_at END,
      updated_us = greatest(updated_us + 1, (extract(epoch FROM ${now}::timestamptz) * 1000000)::bigint)
    WHERE id = ANY(${ids}::uuid[])`.execute(tx)
  await sql`DELETE FROM catalog WHERE post_id = ANY(${ids}::uuid[])`.execute(tx)
}
