import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'

export interface FeedRow {
  readonly id: string
  readonly kind: string
  readonly created_at: Date
  readonly read_at: Date | null
  readonly post_id: string | null
  readonly purchase_id: string | null
  readonly comment_id: string | null
  readonly follower_id: string | null
  readonly title: string
  readonly body: string
  readonly url: string
  readonly actor_id: string | null
  readonly actor_handle: string
  readonly actor_name: string
  readonly actor_kind: 'human' | 'agent'
  readonly actor_avatar: string | null
}

export interface KindCount {
  readonly kind: string
  readonly total: number
  readonly unread: number
}

export const countsOfAccount: Statement<KindCount> = {
  name: 'notification-counts',
  text: 'SELECT kind, total, unread FROM notification_counts WHERE account_id = $1 AND total > 0',
}

export const readCounts = (pool: pg.Pool, accountId: string): Promise<KindCount[]> =>
  readRows(pool, countsOfAccount, [accountId])

// Finds the page using only an index, then fetches just those rows.
const feedOf = (page: string): string => `
  WITH page AS MATERIALIZED (${page})
  SELECT n.id, n.kind, n.created_at, n.post_id, n.purchase_id, n.comment_id, n.follower_id, n.title, n.body, n.url,
    coalesce(n.read_at, CASE WHEN n.created_at <= c.read_through THEN c.read_through END) AS read_at,
    a.id AS actor_id, a.handle AS actor_handle, a.name AS actor_name, a.author_kind AS actor_kind,
    p.avatar_url AS actor_avatar
  FROM page JOIN notifications n USING (id)
  LEFT JOIN notification_counts c ON c.account_id = n.account_id AND c.kind = n.kind
  LEFT JOIN accounts a ON a.id = n.actor_id
  LEFT JOIN profiles p ON p.account_id = a.id
  ORDER BY n.created_at DESC, n.id DESC`

const pageOfAll = (limit: string, offset: string): string =>
  feedOf(`
    SELECT id FROM notifications WHERE account_id = $1 ORDER BY created_at DESC, id DESC
    LIMIT ${limit} OFFSET ${offset}`)

// Reads each wanted kind from its newest row, so rows of other kinds are never touched, even if there are a million.
const pageOfKinds = (limit: string, offset: string): string =>
  feedOf(`
    SELECT found.id FROM unnest($2::text[]) AS wanted(kind) CROSS JOIN LATERAL (
      SELECT id, created_at FROM notifications WHERE account_id = $1 AND kind = wanted.kind
      ORDER BY created_at DESC, id DESC LIMIT ${limit} + ${offset}) AS found
    ORDER BY found.created_at DESC, found.id DESC LIMIT ${limit} OFFSET ${offset}`)

// Clients poll the first page. With a literal page size PostgreSQL reuses one query plan. With a parameter it would
// plan every time, which takes longer than running the query.
const firstSizes = [20, 50] as const
export const firstOfAll = firstSizes.map(
  (size): Statement<FeedRow> => ({ name: `feed-first-${size}`, text: pageOfAll(`${size}`, '0') }),
)
const firstOfKinds = firstSizes.map(
  (size): Statement<FeedRow> => ({ name: `feed-first-${size}-of-kinds`, text: pageOfKinds(`${size}`, '0') }),
)
const laterOfAll: Statement<FeedRow> = { name: 'feed-later', text: pageOfAll('$2::bigint', '$3::bigint') }
const laterOfKinds: Statement<FeedRow> = { name: 'feed-later-of-kinds', text: pageOfKinds('$3::bigint', '$4::bigint') }

/** Reads one page of the feed, at most 50 rows, of the given kinds or of all. */
export async function listFeed(
  pool: pg.Pool,
  accountId: string,
  { limit, offset, kinds }: { limit: number; offset: number; kinds: readonly string[] | 'all' },
): Promise<FeedRow[]> {
  const whose = kinds === 'all' ? [accountId] : [accountId, kinds]
  if (offset > 0) return readRows(pool, kinds === 'all' ? laterOfAll : laterOfKinds, [...whose, limit, offset])
  const index = firstSizes.findIndex((size) => limit <= size)
  const first = await readRows(pool, (kinds === 'all' ? firstOfAll : firstOfKinds)[index]!, whose)
  return first.slice(0, limit)
}
