import type { DeleterRole } from '@pennypost/contract/comments'
import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'
import { lockPostFigures, uncountComment } from '../posts/post-figures.ts'

export interface DeletableComment {
  readonly id: string
  readonly post_id: string
  readonly author_id: string
  readonly post_owner_id: string
  readonly is_public: boolean
}

export async function findDeletableComment(tx: Tx, id: string): Promise<DeletableComment | undefined> {
  const { rows } = await sql<DeletableComment>`
    SELECT comment.id, comment.post_id, comment.author_id, post.account_id AS post_owner_id,
      post.status = 'published' AS is_public
    FROM comments comment JOIN posts post ON post.id = comment.post_id WHERE comment.id = ${id}`.execute(tx)
  return rows[0]
}

export interface Removal {
  readonly deleted_at: Date
  readonly deleted_by_role: DeleterRole
}

/**
 * Deletes a comment, or returns who deleted it before. The content stays in the table for reports, but is not shown.
 */
export async function markCommentDeleted(
  tx: Tx,
  { id, post_id }: Pick<DeletableComment, 'id' | 'post_id'>,
  role: DeleterRole,
  now: Date,
): Promise<{ removal: Removal; isFirst: boolean }> {
  // Lock order: figures before comments.
  await lockPostFigures(tx, post_id)
  const before = await tx
    .selectFrom('comments')
    .select(['author_id', 'thread_root_id', 'deleted_at', 'deleted_by_role'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { deleted_at, deleted_by_role } = before
  if (deleted_at && deleted_by_role) return { removal: { deleted_at, deleted_by_role }, isFirst: false }
  await sql`
    WITH gone AS (UPDATE comments SET deleted_at = ${now}, deleted_by_role = ${role} WHERE id = ${id}),
    threaded AS (
      UPDATE comments SET reply_count = reply_count - 1 WHERE id = ${before.thread_root_id} AND id <> ${id}
    )
    UPDATE post_commenters SET comment_count = comment_count - 1
    WHERE post_id = ${post_id} AND account_id = ${before.author_id}`.execute(tx)
  await uncountComment(tx, post_id)
  return { removal: { deleted_at: now, deleted_by_role: role }, isFirst: true }
}
