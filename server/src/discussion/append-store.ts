import type { Mention } from '@pennypost/contract/mention'
import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'

export interface NewComment {
  readonly id: string
  readonly postId: string
  readonly authorId: string
  readonly threadRootId: string
  readonly replyTargetId: string | null
  readonly content: string
  readonly mentions: readonly Mention[]
  readonly at: Date
}

/**
 * Saves a comment, updates the reply count of its thread, makes its author a watcher of the post and records that
 * others must be notified.
 */
export async function insertComment(tx: Tx, comment: NewComment): Promise<void> {
  const { id, postId, authorId, threadRootId, replyTargetId, content, mentions, at } = comment
  await sql`
    WITH added AS (
      INSERT INTO comments (id, post_id, author_id, thread_root_id, reply_target_id, content, mentions, created_at)
      VALUES (${id}, ${postId}, ${authorId}, ${threadRootId}, ${replyTargetId}, ${content},
        ${JSON.stringify(mentions)}, ${at})
    ), threaded AS (
      UPDATE comments SET reply_count = reply_count + 1 WHERE id = ${threadRootId} AND id <> ${id}
    ), watching AS (
      INSERT INTO post_commenters (post_id, account_id, first_at, last_at, comment_count)
      VALUES (${postId}, ${authorId}, ${at}, ${at}, 1)
      ON CONFLICT (post_id, account_id) DO UPDATE SET comment_count = post_commenters.comment_count + 1, last_at = excluded.last_at
    )
    INSERT INTO comment_notification_progress (comment_id) VALUES (${id})`.execute(tx)
}

export interface ThreadComment {
  readonly id: string
  readonly thread_root_id: string
  readonly deleted_at: Date | null
}

/** Finds comments of a post by id, in any order. Skips ids that are not comments of this post. */
export const listThreadComments = (tx: Tx, postId: string, ids: readonly string[]): Promise<ThreadComment[]> =>
  tx
    .selectFrom('comments')
    .select(['id', 'thread_root_id', 'deleted_at'])
    .where('post_id', '=', postId)
    .where('id', 'in', ids)
    .execute()

/** Whether every mentioned account still has the handle it is mentioned by. */
export async function areMentionsCurrent(tx: Tx, mentions: readonly Mention[]): Promise<boolean> {
  if (mentions.length === 0) return true
  const { rows } = await sql<{ current: number }>`
    SELECT count(*)::int AS current
    FROM unnest(${mentions.map(({ profileId }) => profileId)}::uuid[], ${mentions.map(({ handle }) => handle)}::text[]) AS
      bound(id, handle)
    JOIN accounts ON accounts.id = bound.id AND lower(accounts.handle) = bound.handle`.execute(tx)
  return rows[0]!.current === mentions.length
}
