import type pg from 'pg'
import { readPosts } from '../discovery/card-store.ts'
import { readRows, type Statement } from '../platform/database/database.ts'
import type { ListedPostRow } from '../posts/catalog/public-post.ts'

interface PostId {
  readonly post_id: string
}

const creatorPosts: Statement<PostId> = {
  name: 'site-creator-posts',
  text: `SELECT id AS post_id FROM posts WHERE account_id = $1 AND status = 'published' AND id IS DISTINCT FROM $2
    ORDER BY published_at DESC, id DESC LIMIT $3 OFFSET $4`,
}

/** Without the pinned post, which is shown above the list. */
export const listCreatorPosts = (
  pool: pg.Pool,
  accountId: string,
  pinnedId: string | null,
  limit: number,
  offset: number,
): Promise<PostId[]> => readRows(pool, creatorPosts, [accountId, pinnedId, limit, offset])

const pinnedPost: Statement<PostId> = {
  name: 'site-pinned-post',
  text: `SELECT id AS post_id FROM posts WHERE id = $1 AND account_id = $2 AND status = 'published'`,
}

export const findPinnedPost = async (
  pool: pg.Pool,
  accountId: string,
  postId: string,
): Promise<ListedPostRow | undefined> =>
  (await readPosts(pool, await readRows(pool, pinnedPost, [postId, accountId])))[0]
