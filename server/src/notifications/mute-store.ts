import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    notification_mutes: { account_id: string; post_id: string; muted_at: Date }
  }
}

/**
 * Whether an account muted a post. Returns undefined if the post does not exist, or is not public and the account
 * neither wrote it, muted it nor commented on it.
 */
export async function findMute(db: Db | Tx, accountId: string, postId: string): Promise<boolean | undefined> {
  const { rows } = await sql<{ muted: boolean }>`
    SELECT EXISTS (SELECT FROM notification_mutes m WHERE m.account_id = ${accountId} AND m.post_id = posts.id) AS muted
    FROM posts WHERE id = ${postId} AND (status = 'published' OR account_id = ${accountId}
      OR EXISTS (SELECT FROM notification_mutes m WHERE m.account_id = ${accountId} AND m.post_id = posts.id)
      OR EXISTS (SELECT FROM post_commenters c WHERE c.account_id = ${accountId} AND c.post_id = posts.id))`.execute(db)
  return rows[0]?.muted
}

export async function saveMute(tx: Tx, accountId: string, postId: string, now: Date): Promise<void> {
  await tx
    .insertInto('notification_mutes')
    .values({ account_id: accountId, post_id: postId, muted_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const removeMute = (tx: Tx, accountId: string, postId: string): Promise<unknown> =>
  tx.deleteFrom('notification_mutes').where('account_id', '=', accountId).where('post_id', '=', postId).execute()
