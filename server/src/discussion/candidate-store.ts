import type { Generated } from 'kysely'
import { sql } from 'kysely'
import type { CommentEvent, CommentReason } from '../notifications/notification-event.ts'
import type { Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    comment_notification_progress: { comment_id: string; notified_through: Generated<string | null> }
  }
}

/** How many people are notified in one transaction. */
export const candidatesPerBatch = 1_000

/**
 * Locks the progress of notifying people of a comment. Returns undefined once everyone has been notified. If two jobs
 * run together, the second waits and continues where the first stopped.
 */
export const lockProgress = (tx: Tx, commentId: string): Promise<{ notified_through: string | null } | undefined> =>
  tx
    .selectFrom('comment_notification_progress')
    .select('notified_through')
    .where('comment_id', '=', commentId)
    .forUpdate()
    .executeTakeFirst()

export const saveProgress = (tx: Tx, commentId: string, through: string): Promise<unknown> =>
  tx
    .updateTable('comment_notification_progress')
    .set({ notified_through: through })
    .where('comment_id', '=', commentId)
    .execute()

export const deleteProgress = (tx: Tx, commentId: string): Promise<unknown> =>
  tx.deleteFrom('comment_notification_progress').where('comment_id', '=', commentId).execute()

/** The comment to notify people of. Undefined if the comment was deleted or its post unpublished in the meantime. */
export async function findCommentEvent(
  tx: Tx,
  commentId: string,
): Promise<(CommentEvent & { readonly postAuthorId: string }) | undefined> {
  const { rows } = await sql<CommentEvent & { postAuthorId: string }>`
    SELECT comment.id AS "commentId", comment.post_id AS "postId", post.title AS "postTitle", post.account_id AS "postAuthorId",
      comment.author_id AS "actorId", author.name AS "actorName", comment.content
    FROM comments comment JOIN posts post ON post.id = comment.post_id JOIN accounts author ON author.id = comment.author_id
    WHERE comment.id = ${commentId} AND comment.deleted_at IS NULL AND post.status = 'published'`.execute(tx)
  return rows[0]
}

export interface CommentCandidate {
  readonly recipientId: string
  readonly reasons: CommentReason[]
}

/**
 * The next people to notify of a comment, in id order, each with every reason that applies. Watchers are people who
 * commented on the post before, unless all their comments are deleted; of these, the `maxWatchers` who did so last.
 * Authors are not notified of their own comments.
 */
export async function listCandidates(
  tx: Tx,
  commentId: string,
  after: string | null,
  maxWatchers: number,
): Promise<CommentCandidate[]> {
  const start = after ?? '00000000-0000-0000-0000-000000000000'
  const { rows } = await sql<CommentCandidate>`
    WITH new_comment AS (SELECT * FROM comments WHERE id = ${commentId}),
    candidates AS (
      SELECT (mention ->> 'profileId')::uuid AS id, 'mention' AS reason FROM new_comment, jsonb_array_elements(mentions) mention
      UNION ALL
      SELECT target.author_id, 'reply' FROM new_comment JOIN comments target ON target.id = new_comment.reply_target_id
      UNION ALL
      SELECT post.account_id, 'author' FROM new_comment JOIN posts post ON post.id = new_comment.post_id
      UNION ALL
      SELECT latest.account_id, 'watcher' FROM (
        SELECT watcher.account_id FROM post_commenters watcher
        WHERE watcher.post_id = (SELECT post_id FROM new_comment) AND watcher.comment_count > 0
          AND watcher.first_at < (SELECT created_at FROM new_comment)
          AND watcher.account_id <> (SELECT author_id FROM new_comment)
        ORDER BY coalesce(watcher.last_at, watcher.first_at) DESC, watcher.account_id LIMIT ${maxWatchers}) latest
    )
    SELECT candidates.id AS "recipientId", array_agg(DISTINCT reason) AS reasons FROM candidates, new_comment
    WHERE candidates.id > ${start} AND candidates.id <> new_comment.author_id
    GROUP BY candidates.id ORDER BY candidates.id LIMIT ${candidatesPerBatch}`.execute(tx)
  return rows
}
