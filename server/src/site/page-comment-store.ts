import { type PersonRow, personColumns, personJoin } from '../accounts/person-view.ts'
import type { ReactionCounts } from '../discussion/reaction-view.ts'
import { type Reader, readRows, type Statement } from '../platform/database/database.ts'

/** A comment as pages show it: the same for every reader. */
export interface PageComment extends Omit<PersonRow, 'person_id'>, ReactionCounts {
  readonly id: string
  readonly thread_root_id: string
  readonly content: string | null
  readonly created_at: Date
  /** From a mentioned handle, in lower case, to that person's current handle. */
  readonly mentioned: Readonly<Record<string, string>>
}

// This runs for every post page, so it reads only the columns that pages show. Handles are looked up one by one: with a
// join, PostgreSQL might read all accounts for each comment.
export const pageComments: Statement<PageComment> = {
  name: 'page-comments',
  text: `SELECT comment.id, comment.thread_root_id, comment.created_at,
      CASE WHEN comment.deleted_at IS NULL THEN comment.content END AS content,
      CASE WHEN comment.deleted_at IS NULL AND comment.mentions <> '[]' THEN (
        SELECT coalesce(jsonb_object_agg(lower(name), coalesce(handle, name)) FILTER (WHERE handle IS DISTINCT FROM ''), '{}')
        FROM (
          SELECT bound ->> 'handle' AS name, (
            SELECT CASE WHEN deleted_at IS NULL THEN handle ELSE '' END FROM accounts WHERE id = (bound ->> 'profileId')::uuid
          ) AS handle
          FROM jsonb_array_elements(comment.mentions) bound OFFSET 0) found) ELSE '{}' END AS mentioned,
      comment.thumbs_up, comment.heart, comment.fire, comment.clap, ${personColumns}
    FROM comments comment ${personJoin('comment.author_id')}
    WHERE comment.post_id = $1 ORDER BY comment.created_at LIMIT $2`,
}

/** The oldest comments on a post. */
export const listPageComments = (reader: Reader, postId: string, limit: number): Promise<PageComment[]> =>
  readRows(reader, pageComments, [postId, limit])
