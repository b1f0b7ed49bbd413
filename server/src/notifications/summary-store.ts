import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'

/** An account's gains since its last summary. */
export interface Gains {
  readonly account_id: string
  readonly sales: number
  /** Earnings in Nano and in USDC. They are never added up. */
  readonly earned_raw: string
  readonly earned_atomic: string
  readonly followers: number
  readonly comments: number
}

/** The period a summary covers. Each has a table with the figures at the start of the current period. */
export type Period = 'day' | 'week'

const baselineTables = { day: sql.table('account_day_summaries'), week: sql.table('account_summaries') }

interface SummaryGains extends Gains {
  /** False if another process wrote this summary first, or if this run only stored an older account's first figures. */
  readonly has_summary: boolean
}

/**
 * Computes gains for the next batch of creators, in id order, whose last summary is from `since` or earlier. Stores
 * their current figures as the start of the next period. A creator is an account that has figures or has published
 * something. A figure that fell counts as no gain, and creators' comments on their own posts do not count. The first
 * run for an account older than `newSince` only stores its figures, because they grew over more than one period.
 */
export async function computeGains(
  tx: Tx,
  period: Period,
  { since, newSince, now, after, limit }: { since: Date; newSince: Date; now: Date; after: string; limit: number },
): Promise<SummaryGains[]> {
  const baselines = baselineTables[period]
  const { rows } = await sql<SummaryGains>`
    WITH due AS (
      SELECT a.id AS account_id, coalesce(f.sales_count, 0) AS sales_count, coalesce(f.earned_raw, 0) AS earned_raw,
        coalesce(f.earned_atomic, 0) AS earned_atomic, coalesce(f.follower_count, 0) AS follower_count, (
          SELECT coalesce(sum(figures.comment_count - coalesce(own.comment_count, 0)), 0)::int FROM posts
          JOIN post_figures figures ON figures.post_id = posts.id
          LEFT JOIN post_commenters own ON own.post_id = posts.id AND own.account_id = a.id
          WHERE posts.account_id = a.id) AS comment_count, a.created_at > ${newSince} AS is_new
      FROM accounts a
      LEFT JOIN account_figures f ON f.account_id = a.id
      LEFT JOIN ${baselines} known ON known.account_id = a.id
      WHERE a.id > ${after} AND coalesce(known.summed_at, a.created_at) <= ${since}
        AND (f.account_id IS NOT NULL OR EXISTS (
          SELECT FROM posts WHERE posts.account_id = a.id AND posts.published_at IS NOT NULL))
      ORDER BY a.id LIMIT ${limit}
    ), before AS MATERIALIZED (
      SELECT s.* FROM ${baselines} s JOIN due USING (account_id)
    ), stored AS (
      INSERT INTO ${baselines} AS s (account_id, summed_at, sales_count, earned_raw, earned_atomic, follower_count,
        comment_count)
      SELECT account_id, ${now}, sales_count, earned_raw, earned_atomic, follower_count, comment_count FROM due
      ON CONFLICT (account_id) DO UPDATE SET summed_at = excluded.summed_at, sales_count = excluded.sales_count,
        earned_raw = excluded.earned_raw, earned_atomic = excluded.earned_atomic,
        follower_count = excluded.follower_count, comment_count = excluded.comment_count
        WHERE s.summed_at <= ${since}
      RETURNING account_id
    )
    SELECT account_id, greatest(due.sales_count - coalesce(before.sales_count, 0), 0) AS sales,
      greatest(due.earned_raw - coalesce(before.earned_raw, 0), 0)::text AS earned_raw,
      greatest(due.earned_atomic - coalesce(before.earned_atomic, 0), 0)::text AS earned_atomic,
      greatest(due.follower_count - coalesce(before.follower_count, 0), 0) AS followers,
      greatest(due.comment_count - coalesce(before.comment_count, 0), 0) AS comments,
      stored.account_id IS NOT NULL AND (before.account_id IS NOT NULL OR due.is_new) AS has_summary
    FROM due LEFT JOIN before USING (account_id) LEFT JOIN stored USING (account_id)
    ORDER BY account_id`.execute(tx)
  return rows
}
