import type { DeleterRole } from '@pennypost/contract/comments'
import type { Mention } from '@pennypost/contract/mention'
import type { Reaction } from '@pennypost/contract/reaction-summary'
import type { ColumnType, Generated } from 'kysely'
import type pg from 'pg'
import { type PersonRow, personColumns, personJoin } from '../accounts/person-view.ts'
import { walletNetwork } from '../payments/entitlements/entitlement-store.ts'
import { readRows, type Statement } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    comments: CommentTable
  }
}

interface CommentTable {
  id: string
  post_id: string
  author_id: string
  thread_root_id: string
  reply_target_id: string | null
  content: string
  mentions: ColumnType<Mention[], string>
  created_at: Date
  deleted_at: Date | null
  deleted_by_role: DeleterRole | null
  reply_count: Generated<number>
  thumbs_up: Generated<number>
  heart: Generated<number>
  fire: Generated<number>
  clap: Generated<number>
  tip_total_raw: Generated<string>
  tip_total_atomic: Generated<string>
}

/** A comment with its author and the viewer's reaction. */
export interface CommentRow extends PersonRow {
  readonly id: string
  readonly post_id: string
  readonly thread_root_id: string
  readonly reply_target_id: string | null
  readonly content: string | null
  readonly mentions: Mention[]
  readonly created_at: Date
  readonly deleted_at: Date | null
  readonly deleted_by_role: DeleterRole | null
  readonly reply_count: number
  readonly thumbs_up: number
  readonly heart: number
  readonly fire: number
  readonly clap: number
  readonly tip_total_raw: string
  readonly tip_total_atomic: string
  readonly viewer_reaction: Reaction | null
  /** Whether the comment's author bought the post. */
  readonly has_purchased: boolean
}

// Whether a wallet of this account bought this post. BETWEEN and OFFSET 0 force a lookup by primary key: a generic plan
// would read every wallet that bought the post.
const boughtByWallet = (accountId: string, postId: string): string =>
  `EXISTS (SELECT FROM wallets own CROSS JOIN LATERAL (SELECT FROM wallet_entitlements paid
    WHERE paid.network = ${walletNetwork('own.kind')}
      AND paid.wallet = own.address AND paid.post_id BETWEEN ${postId} AND ${postId} OFFSET 0) paid
    WHERE own.account_id = ${accountId})`

// Leaves out deleted content in SQL, so that a bug in a view cannot reveal it.
const columns = `comment.id, comment.post_id, comment.thread_root_id, comment.reply_target_id,
  CASE WHEN comment.deleted_at IS NULL THEN comment.content END AS content,
  CASE WHEN comment.deleted_at IS NULL THEN comment.mentions ELSE '[]' END AS mentions,
  comment.created_at, comment.deleted_at, comment.deleted_by_role, comment.reply_count,
  comment.thumbs_up, comment.heart, comment.fire, comment.clap, comment.tip_total_raw, comment.tip_total_atomic,
  ${personColumns}, mine.reaction AS viewer_reaction,
  bought.post_id IS NOT NULL OR ${boughtByWallet('comment.author_id', 'comment.post_id')} AS has_purchased`

const joins = `${personJoin('comment.author_id')}
  LEFT JOIN comment_reactions mine ON mine.comment_id = comment.id AND mine.account_id = $1
  LEFT JOIN entitlements bought ON bought.account_id = comment.author_id AND bought.post_id = comment.post_id`

const savedComment: Statement<CommentRow> = {
  name: 'saved-comment',
  text: `SELECT ${columns} FROM comments comment ${joins} WHERE comment.id = $2`,
}

// A comment on an unpublished post can still be read by id: by its writer, the post's author and buyers.
const visibleComment: Statement<CommentRow> = {
  name: 'visible-comment',
  text: `SELECT ${columns} FROM comments comment ${joins} JOIN posts post ON post.id = comment.post_id
    WHERE comment.id = $2 AND (post.status = 'published' OR $1 IN (comment.author_id, post.account_id)
      OR EXISTS (SELECT FROM entitlements own WHERE own.account_id = $1 AND own.post_id = comment.post_id)
      OR ${boughtByWallet('$1', 'comment.post_id')})`,
}

export const commentsOfPost: Statement<CommentRow> = {
  name: 'comments-of-post',
  text: `SELECT ${columns} FROM comments comment ${joins}
    WHERE comment.post_id = $2 AND comment.created_at > $3 ORDER BY comment.created_at LIMIT $4`,
}

export const commentsOfThread: Statement<CommentRow> = {
  name: 'comments-of-thread',
  text: `SELECT ${columns} FROM comments comment ${joins}
    WHERE comment.thread_root_id = $5 AND comment.post_id = $2 AND comment.created_at > $3
    ORDER BY comment.created_at LIMIT $4`,
}

/** A comment in a list of threads, with what its thread is sorted by. */
interface ThreadRow extends CommentRow {
  readonly root_at: Date
  readonly root_reactions: number
}

/** The expression of the index `popular_threads`. */
const rootReactions = '(root.thumbs_up + root.heart + root.fire + root.clap)'

// Reads roots by one index, and the replies of each by another. The limits inside keep PostgreSQL from reading more
// threads, or more of a thread, than the page can show (one thread more, because nothing may be left of the first); people
// are joined to what remains. Each comment of a post has a different time, so the time of a root identifies its thread.
const threadsOfPost = (order: string, fromPosition: string): string => `
  SELECT ${columns}, root_at, root_reactions FROM (
    SELECT part.*, root_at, root_reactions FROM (
      SELECT root.id AS root_id, root.created_at AS root_at, ${rootReactions} AS root_reactions FROM comments root
      WHERE root.post_id = $2 AND root.thread_root_id = root.id AND ${fromPosition}
      ORDER BY ${order} LIMIT $3 + 1) root
    CROSS JOIN LATERAL (
      SELECT * FROM comments each WHERE each.thread_root_id = root_id
        AND each.created_at > CASE WHEN root_at = $4 THEN $5::timestamptz ELSE '-infinity' END
      ORDER BY each.created_at LIMIT $3) part
    ORDER BY ${order}, part.created_at LIMIT $3) comment
  ${joins} ORDER BY ${order}, comment.created_at`

/** Whole threads in an order. */
export const threadsBySort: Readonly<Record<'newest' | 'popular', Statement<ThreadRow>>> = {
  newest: {
    name: 'newest-threads',
    text: threadsOfPost('root_at DESC', 'root.created_at <= $4'),
  },
  popular: {
    name: 'popular-threads',
    text: threadsOfPost('root_reactions DESC, root_at DESC', `(${rootReactions}, root.created_at) <= ($6, $4)`),
  },
}

/** The account that reads; null for the public. */
export type Viewer = string | null

/** Finds a comment even if its post is no longer public, for the person who just wrote it. */
export const findSavedComment = async (pool: pg.Pool, viewer: Viewer, id: string): Promise<CommentRow | undefined> =>
  (await readRows(pool, savedComment, [viewer, id]))[0]

export const findVisibleComment = async (pool: pg.Pool, viewer: Viewer, id: string): Promise<CommentRow | undefined> =>
  (await readRows(pool, visibleComment, [viewer, id]))[0]

export interface CommentQuery {
  readonly postId: string
  readonly threadRootId: string | undefined
  /** Exclusive. Each comment of a post has a different time, so a time is a position. */
  readonly after: Date | undefined
  readonly limit: number
}

export function listCommentRows(pool: pg.Pool, viewer: Viewer, query: CommentQuery): Promise<CommentRow[]> {
  const values = [viewer, query.postId, query.after ?? '-infinity', query.limit]
  return query.threadRootId === undefined
    ? readRows(pool, commentsOfPost, values)
    : readRows(pool, commentsOfThread, [...values, query.threadRootId])
}

export interface ThreadQuery {
  readonly postId: string
  /** Exclusive. */
  readonly after: ThreadPosition | undefined
  readonly limit: number
}

/** Where a list of threads continues: the thread's root, and a comment in it. */
export interface ThreadPosition {
  readonly reactions: number
  readonly rootAt: Date
  readonly at: Date
}

/** The largest integer of PostgreSQL. */
export const maxReactions = 2 ** 31 - 1

export function listThreadRows(
  pool: pg.Pool,
  viewer: Viewer,
  sort: keyof typeof threadsBySort,
  { postId, after, limit }: ThreadQuery,
): Promise<ThreadRow[]> {
  const values = [viewer, postId, limit, after?.rootAt ?? 'infinity', after?.at ?? '-infinity']
  return readRows(
    pool,
    threadsBySort[sort],
    sort === 'popular' ? [...values, after?.reactions ?? maxReactions] : values,
  )
}

const commentOfPublicPost: Statement<{ id: string }> = {
  name: 'comment-of-public-post',
  text: `SELECT comment.id FROM comments comment JOIN posts post ON post.id = comment.post_id
    WHERE comment.id = $1 AND comment.post_id = $2 AND post.status = 'published'`,
}

export const isPublicComment = async (pool: pg.Pool, id: string, postId: string): Promise<boolean> =>
  (await readRows(pool, commentOfPublicPost, [id, postId])).length > 0
