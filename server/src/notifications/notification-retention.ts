import { sql } from 'kysely'
import type { Db } from '../platform/database/database.ts'
import type { AccountWithOld } from '../platform/database/delete-by-account.ts'

/** The next accounts, in id order, and whether they have notifications from before that moment that may be deleted. */
export async function listAccountsWithOld(
  db: Db,
  after: string,
  before: Date,
  limit: number,
): Promise<AccountWithOld[]> {
  // Uses the index of each account's feed: an index of all notifications by time would be the largest index of the table.
  // Does not use EXISTS, for which PostgreSQL would read the whole table once.
  const { rows } = await sql<AccountWithOld>`
    SELECT known.account_id AS "accountId", old.id IS NOT NULL AS "hasOld"
    FROM (SELECT DISTINCT account_id FROM notification_counts WHERE account_id > ${after}
      ORDER BY account_id LIMIT ${limit}) known
    LEFT JOIN LATERAL (SELECT n.id FROM notifications n
      WHERE n.account_id = known.account_id AND n.created_at < ${before} AND ${mayGo}
      ORDER BY n.created_at LIMIT 1) old ON true
    ORDER BY known.account_id`.execute(db)
  return rows
}

/** Notifications of new followers stay: someone who follows again must not be announced again. */
const mayGo = sql`n.kind <> 'new_follow'`

/**
 * Deletes up to `limit` of an account's notifications from before that moment, and counts them off. Returns how many. The
 * counts are locked first, as by everyone who changes them.
 */
export async function deleteNotificationsBefore(
  db: Db,
  accountId: string,
  before: Date,
  limit: number,
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await sql`SELECT FROM notification_counts WHERE account_id = ${accountId} ORDER BY kind FOR UPDATE`.execute(tx)
    const { rows } = await sql<{ deleted: number }>`
      WITH old AS (
        SELECT n.id FROM notifications n WHERE n.account_id = ${accountId} AND n.created_at < ${before} AND ${mayGo}
        ORDER BY n.created_at LIMIT ${limit}
      ), gone AS (
        DELETE FROM notifications n USING old, notification_counts c
        WHERE n.id = old.id AND c.account_id = n.account_id AND c.kind = n.kind
        RETURNING n.kind, n.read_at IS NULL AND n.created_at > c.read_through AS was_unread
      ), counted AS (
        UPDATE notification_counts c SET total = c.total - g.total, unread = c.unread - g.unread
        FROM (SELECT kind, count(*)::int AS total, count(*) FILTER (WHERE was_unread)::int AS unread
          FROM gone GROUP BY kind) g
        WHERE c.account_id = ${accountId} AND c.kind = g.kind
      )
      SELECT count(*)::int AS deleted FROM gone`.execute(tx)
    return rows[0]!.deleted
  })
}
