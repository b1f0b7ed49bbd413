import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'

// Marking as read. Always lock the account's counts first, so that they stay exact: if two requests mark the same rows,
// the second waits and finds them read. Writing new notifications updates the same count rows, so it waits too.

const lockCounts = (tx: Tx, accountId: string) =>
  sql<{ kind: string; unread: number }>`
    SELECT kind, unread FROM notification_counts WHERE account_id = ${accountId} ORDER BY kind FOR UPDATE`.execute(tx)

/** Selects some of an account's rows. A field that is left out matches everything. */
export interface RowFilter {
  readonly ids?: readonly string[]
  readonly postId?: string | undefined
  readonly purchaseId?: string | undefined
  readonly commentId?: string | undefined
  readonly followerId?: string | undefined
  readonly kinds?: readonly string[] | undefined
}

/** Marks matching rows as read. Returns how many were unread. */
export async function markRowsRead(tx: Tx, accountId: string, filter: RowFilter, now: Date): Promise<number> {
  await lockCounts(tx, accountId)
  const { rows } = await sql<{ updated: number }>`
    WITH marked AS (
      UPDATE notifications n SET read_at = ${now} FROM notification_counts c
      WHERE n.account_id = ${accountId} AND n.read_at IS NULL AND c.account_id = n.account_id AND c.kind = n.kind
        AND n.created_at > c.read_through AND ${matches(filter)}
      RETURNING n.kind
    ), counted AS (
      UPDATE notification_counts c SET unread = c.unread - m.marked
      FROM (SELECT kind, count(*)::int AS marked FROM marked GROUP BY kind) m
      WHERE c.account_id = ${accountId} AND c.kind = m.kind
    )
    SELECT count(*)::int AS updated FROM marked`.execute(tx)
  return rows[0]!.updated
}

function matches({ ids, postId, purchaseId, commentId, followerId, kinds }: RowFilter): RawBuilder<boolean> {
  const conditions: RawBuilder<unknown>[] = []
  if (ids) conditions.push(sql`n.id = ANY(${ids}::uuid[])`)
  if (postId) conditions.push(sql`n.post_id = ${postId}`)
  if (purchaseId) conditions.push(sql`n.purchase_id = ${purchaseId}`)
  if (commentId) conditions.push(sql`n.comment_id = ${commentId}`)
  if (followerId) conditions.push(sql`n.follower_id = ${followerId}`)
  if (kinds) conditions.push(sql`n.kind = ANY(${kinds}::text[])`)
  return sql<boolean>`${sql.join(conditions, sql` AND `)}`
}

/**
 * Marks whole kinds, or everything, as read. Returns how many were unread. Updates only the counts, however many rows
 * there are: rows up to `read_through` count as read, and `settleReadRows` updates the rows themselves later.
 */
export async function markCountsRead(tx: Tx, accountId: string, kinds: readonly string[] | 'all'): Promise<number> {
  const { rows: counts } = await lockCounts(tx, accountId)
  const unreadCounts = counts.filter(({ kind, unread }) => unread > 0 && (kinds === 'all' || kinds.includes(kind)))
  if (unreadCounts.length === 0) return 0
  await sql`
    UPDATE notification_counts c SET unread = 0, read_through = (
      SELECT max(created_at) FROM notifications n WHERE n.account_id = c.account_id AND n.kind = c.kind)
    WHERE account_id = ${accountId} AND kind = ANY(${unreadCounts.map(({ kind }) => kind)}::text[])`.execute(tx)
  return unreadCounts.reduce((sum, { unread }) => sum + unread, 0)
}

/** Sets `read_at` on up to `limit` rows that already count as read. Returns how many it updated. */
export async function updateReadRows(db: Db | Tx, accountId: string, limit: number, readAt: Date): Promise<number> {
  const { rows } = await sql<{ updated: number }>`
    WITH behind AS MATERIALIZED (
      SELECT n.id FROM notification_counts c JOIN notifications n ON n.account_id = c.account_id AND n.kind = c.kind
        AND n.read_at IS NULL AND n.created_at <= c.read_through
      WHERE c.account_id = ${accountId} LIMIT ${limit} FOR UPDATE OF n SKIP LOCKED
    ), updated AS (
      UPDATE notifications SET read_at = ${readAt} WHERE id IN (SELECT id FROM behind) RETURNING id
    )
    SELECT count(*)::int AS updated FROM updated`.execute(db)
  return rows[0]!.updated
}
