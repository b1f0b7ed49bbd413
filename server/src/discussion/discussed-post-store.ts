import type pg from 'pg'
import { readRows, type Statement, type Tx } from '../platform/database/database.ts'

/** A public post, as far as the discussion needs it. */
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

/** Reads a public post without locking it, for callers that must lock something else first and then check again. */
export const findDiscussedPostInTx = (tx: Tx, id: string): Promise<DiscussedPost | undefined> =>
  publicPost(tx, id).executeTakeFirst()

/**
 * Locks a public post so that it stays public, with its current comment settings, until the transaction ends. Many
 * transactions can hold this lock together, but the author's edits wait for all of them. So take it last, after waiting
 * for any other lock.
 */
export const lockDiscussedPostShared = (tx: Tx, id: string): Promise<DiscussedPost | undefined> =>
  publicPost(tx, id).forKeyShare().executeTakeFirst()
