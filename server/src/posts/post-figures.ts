import type { Asset } from '@pennypost/contract/money'
import type { Reaction } from '@pennypost/contract/reaction-summary'
import { sql } from 'kysely'
import { type Db, oneOf, type Tx } from '../platform/database/database.ts'

// Everything that writes `post_figures`. A post's figures are locked before the post and its comments; figures of accounts
// are locked after both.

/** Locks a post's figures, creating the row if needed. */
export async function lockPostFigures(tx: Tx, postId: string): Promise<void> {
  const lock = async () => (await sql`SELECT FROM post_figures WHERE post_id = ${postId} FOR UPDATE`.execute(tx)).rows
  if ((await lock()).length > 0) return
  await sql`INSERT INTO post_figures (post_id) VALUES (${postId}) ON CONFLICT DO NOTHING`.execute(tx)
  await lock()
}

export async function countSale(tx: Tx, postId: string): Promise<void> {
  await sql`
    INSERT INTO post_figures (post_id, sales_count) VALUES (${postId}, 1)
    ON CONFLICT (post_id) DO UPDATE SET sales_count = post_figures.sales_count + 1`.execute(tx)
}

/** The column that adds up the tips of each asset, here and for the supporters of a comment. */
export const tipTotals = { XNO: 'tip_total_raw', USDC: 'tip_total_atomic' } as const satisfies Record<Asset, string>

/** Counts a tip for the post itself: a comment's tips are not its post's. */
export async function countPostTip(tx: Tx, postId: string, asset: Asset, amount: string): Promise<void> {
  const total = sql.ref(tipTotals[asset])
  await sql`
    INSERT INTO post_figures (post_id, ${total}) VALUES (${postId}, ${amount})
    ON CONFLICT (post_id) DO UPDATE SET ${total} = post_figures.${total} + excluded.${total}`.execute(tx)
}

/**
 * Counts a comment, and reserves its time. The row stays locked until the commit, so the next comment is at least a
 * millisecond later and new comments never sort before ones that readers have already seen.
 */
export async function countComment(tx: Tx, postId: string, now: Date): Promise<Date> {
  const { rows } = await sql<{ last_comment_at: Date }>`
    INSERT INTO post_figures (post_id, comment_count, last_comment_at) VALUES (${postId}, 1, ${now})
    ON CONFLICT (post_id) DO UPDATE SET comment_count = post_figures.comment_count + 1,
      last_comment_at = greatest(excluded.last_comment_at, post_figures.last_comment_at + interval '1 millisecond')
    RETURNING last_comment_at`.execute(tx)
  return rows[0]!.last_comment_at
}

export async function uncountComment(tx: Tx, postId: string): Promise<void> {
  await sql`UPDATE post_figures SET comment_count = comment_count - 1 WHERE post_id = ${postId}`.execute(tx)
}

type ReactionCounts = Readonly<Record<Reaction, number>>

/** Counts how many more or fewer people react in each way. Returns how many do. The figures are locked. */
export async function countPostReactions(tx: Tx, postId: string, change: ReactionCounts): Promise<ReactionCounts> {
  const { rows } = await sql<ReactionCounts>`
    UPDATE post_figures SET thumbs_up = thumbs_up + ${change.thumbs_up}, heart = heart + ${change.heart},
      fire = fire + ${change.fire}, clap = clap + ${change.clap}
    WHERE post_id = ${postId} RETURNING thumbs_up, heart, fire, clap`.execute(tx)
  return rows[0]!
}

/**
 * The end of a statement that counts new readers: `seen` is its list of `post_id`, one for each reader. In the order of
 * ids, as everywhere that locks figures of several posts.
 */
export const countReadersIn = (seen: string): string => `
  INSERT INTO post_figures AS figures (post_id, reader_count)
  SELECT post_id, count(*) FROM ${seen} GROUP BY post_id ORDER BY post_id
  ON CONFLICT (post_id) DO UPDATE SET reader_count = figures.reader_count + excluded.reader_count`

/** The figures of a post that its author sees in lists. */
export interface PostFigures {
  readonly id: string
  readonly reader_count: number
  readonly paywall_views: number
  readonly sales_count: number
  readonly comment_count: number
}

/** The figures of a post that nobody has seen yet. */
export const noFigures: Omit<PostFigures, 'id'> = {
  reader_count: 0,
  paywall_views: 0,
  sales_count: 0,
  comment_count: 0,
}

/** The figures of these posts. Those of a post that was deleted in the meantime are zero. */
export async function figuresOfPosts(db: Db | Tx, ids: readonly string[]): Promise<Map<string, PostFigures>> {
  const { rows } = await sql<PostFigures>`
    SELECT wanted.id, coalesce(figures.reader_count, 0) AS reader_count,
      coalesce((SELECT sum(paywall_views) FROM post_days WHERE post_id = wanted.id), 0)::int AS paywall_views,
      coalesce(figures.sales_count, 0) AS sales_count, coalesce(figures.comment_count, 0) AS comment_count
    FROM posts wanted LEFT JOIN post_figures figures ON figures.post_id = wanted.id WHERE wanted.id ${oneOf(ids)}`.execute(
    db,
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return new Map(ids.map((id) => [id, found.get(id) ?? { id, ...noFigures }]))
}
