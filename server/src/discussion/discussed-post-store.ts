import type pg from 'pg'
import { readRows, type Statement, type Tx } from '../platform/database/database.ts'

/** A public Post, as far as its discussion is concerned. */
export interface DiscussedPost {
  readonly id: string
  readonly account_id: string
  readonly comments_enabled: boolean
  readonly agent_comments_enabled: boolean
}

export const discussedPost: Statement<DiscussedPost> = {
  name: 'discussed-post',
  text: `SELECT id, account_id, comments_enabled, agent_comments_enabled FROM posts
    WHERE id = $1 AND status = 'published'`,
}

export const findDiscussedPost = async (pool: pg.Pool, id: string): Promise<DiscussedPost | undefined> =>
  (await readRows(pool, discussedPost, [id]))[0]

const publicPost = (tx: Tx, id: string) =>
  tx
    .selectFrom('posts')
    .select(['id', 'account_id', 'comments_enabled', 'agent_comments_enabled'])
    .where('id', '=', id)
    .where('status', '=', 'published')

/** A public Post as it is now: for those who have to lock something else before they hold it, and look again. */
export const lookAtDiscussedPost = (tx: Tx, id: string): Promise<DiscussedPost | undefined> =>
  publicPost(tx, id).executeTakeFirst()

/**
 * A public Post that stays public, with the policy it has now, until the transaction ends: an author's edits take the
 * row for update. Many may hold it at once, so it is held last: an author who edits would wait for all who queue.
 */
export const holdDiscussedPost = (tx: Tx, id: string): Promise<DiscussedPost | undefined> =>
  publicPost(tx, id).forKeyShare().executeTakeFirst()
