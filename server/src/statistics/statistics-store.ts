import type { Asset } from '@pennypost/contract/money'
import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'

// Statistics are counted as events happen, by day and post (`post_days`, `post_referrers`, `earning_days`): reading them
// never adds up single visits or payments.

/** The posts of an account, or one of them, on some days. */
export interface Scope {
  readonly accountId: string
  readonly postId?: string
  readonly from: string
  readonly to: string
}

export interface ViewCounts {
  /** A day or the id of a post. */
  readonly key: string
  readonly readers: number
  readonly paywall_views: number
}

export interface MoneyCounts {
  readonly key: string
  readonly asset: Asset
  readonly sale_count: number
  readonly gross: string
  readonly commission: string
  readonly net: string
  readonly tip_count: number
  readonly tips: string
}

type Grouping = 'day' | 'post_id'

const within = 'account_id = $1 AND day BETWEEN $2::date AND $3::date'
const scopes = { account: within, post: `${within} AND post_id = $4` }
// A tip to a comment under someone else's post is not about this author's posts.
const ownPosts = 'AND EXISTS (SELECT FROM posts WHERE posts.id = earning_days.post_id AND posts.account_id = $1)'

export const views = (scope: keyof typeof scopes, by: Grouping): Statement<ViewCounts> => ({
  name: `views of ${scope} by ${by}`,
  text: `SELECT ${by}::text AS key, sum(readers)::int AS readers, sum(paywall_views)::int AS paywall_views
    FROM post_days WHERE ${scopes[scope]} GROUP BY ${by} ORDER BY ${by}`,
})

export const money = (scope: keyof typeof scopes, by: Grouping): Statement<MoneyCounts> => ({
  name: `money of ${scope} by ${by}`,
  text: `SELECT ${by}::text AS key, asset, sum(line_count - tip_count)::int AS sale_count,
      sum(gross_raw - tip_raw)::text AS gross, sum(commission_raw)::text AS commission,
      sum(net_raw - tip_raw)::text AS net, sum(tip_count)::int AS tip_count, sum(tip_raw)::text AS tips
    FROM earning_days WHERE ${scopes[scope]} ${scope === 'account' ? ownPosts : ''}
    GROUP BY ${by}, asset ORDER BY ${by}`,
})

const valuesOf = ({ accountId, from, to, postId }: Scope) =>
  postId === undefined ? [accountId, from, to] : [accountId, from, to, postId]
const kindOf = ({ postId }: Scope) => (postId === undefined ? 'account' : 'post')

export const readViews = (pool: pg.Pool, scope: Scope, by: Grouping): Promise<ViewCounts[]> =>
  readRows(pool, views(kindOf(scope), by), valuesOf(scope))

export const readMoney = (pool: pg.Pool, scope: Scope, by: Grouping): Promise<MoneyCounts[]> =>
  readRows(pool, money(kindOf(scope), by), valuesOf(scope))

export interface ReferrerCount {
  readonly host: string
  readonly readers: number
  /** The number of readers of all hosts together. */
  readonly total: number
}

const maxReferrers = 50

export const referrers = (scope: keyof typeof scopes): Statement<ReferrerCount> => ({
  name: `referrers of ${scope}`,
  text: `SELECT host, sum(readers)::int AS readers, (sum(sum(readers)) OVER ())::int AS total
    FROM post_referrers WHERE ${scopes[scope]} GROUP BY host ORDER BY readers DESC, host LIMIT ${maxReferrers}`,
})

export const readReferrers = (pool: pg.Pool, scope: Scope): Promise<ReferrerCount[]> =>
  readRows(pool, referrers(kindOf(scope)), valuesOf(scope))

export interface BestPost extends ViewCounts {
  readonly title: string
  /** How many posts there are in total. */
  readonly known: number
}

const maxPosts = 100

export const bestPosts: Statement<BestPost> = {
  name: 'best posts',
  text: `WITH views AS (SELECT post_id, sum(readers)::int AS readers, sum(paywall_views)::int AS paywall_views
      FROM post_days WHERE ${within} GROUP BY post_id),
    paid AS (SELECT post_id, sum(line_count) AS payments FROM earning_days WHERE ${within} ${ownPosts} GROUP BY post_id),
    best AS (SELECT post_id, coalesce(readers, 0) AS readers, coalesce(paywall_views, 0) AS paywall_views,
        coalesce(payments, 0) AS payments, (count(*) OVER ())::int AS known
      FROM views FULL JOIN paid USING (post_id)
      ORDER BY readers DESC, payments DESC, post_id LIMIT ${maxPosts})
    SELECT best.post_id::text AS key, best.readers, best.paywall_views, best.known, post.title
    FROM best JOIN posts post ON post.id = best.post_id ORDER BY best.readers DESC, best.payments DESC, best.post_id`,
}

export const readBestPosts = (pool: pg.Pool, { accountId, from, to }: Scope): Promise<BestPost[]> =>
  readRows(pool, bestPosts, [accountId, from, to])

const ownTitle: Statement<{ title: string }> = {
  name: 'title of own post',
  text: 'SELECT title FROM posts WHERE id = $1 AND account_id = $2',
}

export const findOwnTitle = async (pool: pg.Pool, accountId: string, postId: string): Promise<string | undefined> =>
  (await readRows(pool, ownTitle, [postId, accountId]))[0]?.title
