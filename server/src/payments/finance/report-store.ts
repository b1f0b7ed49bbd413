import type pg from 'pg'
import { readRows, type Statement } from '../../platform/database/database.ts'
import type { AssetTotal } from './finance-list-store.ts'

// The database counts an account's days as its lines are written (`earning_days`): a report reads at most
// one row for each day, post and asset, however much was sold.

export interface DaySum extends AssetTotal {
  readonly day: string
}

export interface PostSum extends AssetTotal {
  readonly post_id: string
  readonly post_title: string
  /** How many posts there are in total. */
  readonly known: number
}

const sums = `sum(line_count) AS line_count, sum(gross_raw) AS gross_total, sum(commission_raw) AS commission_total,
      sum(net_raw) AS net_total`
const within = 'account_id = $1 AND day BETWEEN $2::date AND $3::date'

export const sumsOfDays: Statement<DaySum> = {
  name: 'earnings-by-day',
  text: `SELECT earning_days.day::text AS day, asset, ${sums} FROM earning_days WHERE ${within}
    GROUP BY earning_days.day, asset ORDER BY earning_days.day`,
}

const maxPosts = 100

const sumsOfPosts: Statement<PostSum> = {
  name: 'earnings-by-post',
  text: `WITH each AS (SELECT post_id, asset, ${sums} FROM earning_days WHERE ${within} GROUP BY post_id, asset),
    best AS (SELECT post_id, sum(line_count) AS lines, (count(*) OVER ())::int AS known FROM each
      GROUP BY post_id ORDER BY lines DESC, post_id LIMIT ${maxPosts})
    SELECT best.known, post.title AS post_title, each.* FROM best JOIN each ON each.post_id = best.post_id
      JOIN posts post ON post.id = best.post_id
    ORDER BY best.lines DESC, best.post_id`,
}

export const readDaySums = (pool: pg.Pool, accountId: string, from: string, to: string): Promise<DaySum[]> =>
  readRows(pool, sumsOfDays, [accountId, from, to])

export const readPostSums = (pool: pg.Pool, accountId: string, from: string, to: string): Promise<PostSum[]> =>
  readRows(pool, sumsOfPosts, [accountId, from, to])
