import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import { type PublicPostRow, publicPostColumns, publicPostJoins } from '../posts/catalog/public-post.ts'

// Each list is limited in a subquery that reads ids from an index; only the posts that are shown are then read.

const creatorPosts: Statement<PublicPostRow> = {
  name: 'site-creator-posts',
  text: `SELECT ${publicPostColumns} FROM posts post ${publicPostJoins}
    WHERE post.id IN (
      SELECT id FROM posts WHERE account_id = $1 AND status = 'published' AND id IS DISTINCT FROM $2
      ORDER BY published_at DESC, id DESC LIMIT $3 OFFSET $4)
    ORDER BY post.published_at DESC, post.id DESC`,
}

/** Without the pinned post, which is shown above the list. */
export const listCreatorPosts = (
  pool: pg.Pool,
  accountId: string,
  pinnedId: string | null,
  limit: number,
  offset: number,
): Promise<PublicPostRow[]> => readRows(pool, creatorPosts, [accountId, pinnedId, limit, offset])

const pinnedPost: Statement<PublicPostRow> = {
  name: 'site-pinned-post',
  text: `SELECT ${publicPostColumns} FROM posts post ${publicPostJoins}
    WHERE post.id = $1 AND post.account_id = $2 AND post.status = 'published'`,
}

export const findPinnedPost = async (
  pool: pg.Pool,
  accountId: string,
  postId: string,
): Promise<PublicPostRow | undefined> => (await readRows(pool, pinnedPost, [postId, accountId]))[0]
