import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'
import { commentKinds, pushKinds } from './notification-event.ts'
import { emailSwitchFor, inAppSwitchFor, listOfKinds } from './switches.ts'

/** An event, worded for one reason to notify people of it. For each origin, the lowest number takes precedence. */
export interface EventRow {
  readonly number: number
  readonly kind: string
  readonly origin: string
  readonly actor_id: string | null
  readonly post_id: string | null
  readonly purchase_id: string | null
  readonly comment_id: string | null
  readonly follower_id: string | null
  readonly title: string
  readonly body: string
  readonly url: string
}

/** A person who may be notified, and the channels the caller allows. */
export interface Candidate {
  readonly recipientId: string
  readonly number: number
  readonly inApp: boolean
  readonly email: boolean
}

/** A message to send. A push has one entry per device. */
export interface Outgoing {
  readonly accountId: string
  readonly deliveryId: string
  readonly channel: 'email' | 'push'
  readonly subscriptionId: string | null
}

/**
 * Decides who is notified on which channel, and writes the feed rows, their counts and the messages. Each channel uses
 * the first reason that is switched on for it. Rows are written in account order, so that two transactions cannot
 * deadlock.
 */
export async function writeNotifications(
  tx: Tx,
  events: readonly EventRow[],
  candidates: readonly Candidate[],
  now: Date,
): Promise<Outgoing[]> {
  const column = <Value>(of: (candidate: Candidate) => Value) => candidates.map(of)
  const { rows } = await sql<{ late: string[] | null; outgoing: Outgoing[] | null }>`
    WITH n AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(events)}::jsonb) AS n(number int, kind text, origin text,
        actor_id uuid, post_id uuid, purchase_id uuid, comment_id uuid, follower_id uuid, title text, body text, url text)
    ), eligible AS MATERIALIZED (
      SELECT c.account_id, n.*,
        c.in_app AND p.in_app_notifications AND ${inAppSwitchFor('n.kind')} AS in_app,
        c.email AND p.email_notifications AND ${emailSwitchFor('n.kind')} AND a.email IS NOT NULL AS by_email,
        n.kind IN (${listOfKinds(pushKinds)}) AND p.push_notifications AND EXISTS (
          SELECT FROM push_subscriptions s
          WHERE s.account_id = c.account_id AND (s.expires_at IS NULL OR s.expires_at > ${now})) AS may_push,
        a.email AS address
      FROM unnest(${column((c) => c.recipientId)}::uuid[], ${column((c) => c.number)}::int[],
        ${column((c) => c.inApp)}::boolean[], ${column((c) => c.email)}::boolean[]) AS c(account_id, number, in_app, email)
      JOIN n USING (number)
      JOIN notification_preferences p USING (account_id)
      JOIN accounts a ON a.id = c.account_id
      WHERE c.account_id IS DISTINCT FROM n.actor_id AND NOT (n.kind IN (${listOfKinds(commentKinds)}) AND EXISTS (
        SELECT FROM notification_mutes m WHERE m.account_id = c.account_id AND m.post_id = n.post_id))
    ), added AS (
      INSERT INTO notifications (account_id, kind, origin, actor_id, post_id, purchase_id, comment_id, follower_id, title,
        body, url, created_at)
      SELECT DISTINCT ON (account_id, origin) account_id, kind, origin, actor_id, post_id, purchase_id, comment_id,
        follower_id, title, body, url, ${now}::timestamptz
      FROM eligible WHERE in_app ORDER BY account_id, origin, number
      ON CONFLICT (account_id, origin) DO NOTHING
      RETURNING account_id, kind
    ), counted AS (
      INSERT INTO notification_counts AS known (account_id, kind, total, unread)
      SELECT account_id, kind, count(*), count(*) FROM added GROUP BY account_id, kind ORDER BY account_id, kind
      ON CONFLICT (account_id, kind) DO UPDATE
        SET total = known.total + excluded.total, unread = known.unread + excluded.unread
      RETURNING account_id, read_through >= ${now} AS is_late
    ), chosen AS (
      (SELECT DISTINCT ON (account_id, origin) 'email' AS channel, eligible.* FROM eligible
        WHERE by_email ORDER BY account_id, origin, number)
      UNION ALL
      (SELECT DISTINCT ON (account_id, origin) 'push' AS channel, eligible.* FROM eligible
        WHERE may_push AND in_app ORDER BY account_id, origin, number)
    ), deliveries AS (
      INSERT INTO notification_deliveries (account_id, channel, kind, origin, actor_id, post_id, comment_id, title, body,
        url, address, created_at)
      SELECT account_id, channel, kind, origin, actor_id, post_id, comment_id, title, body, url,
        CASE channel WHEN 'email' THEN address END, ${now}
      FROM chosen ORDER BY account_id, origin, channel
      ON CONFLICT (account_id, origin, channel) DO NOTHING
      RETURNING id, account_id, channel
    )
    SELECT (SELECT array_agg(account_id) FROM counted WHERE is_late) AS late, (
      SELECT json_agg(json_build_object('accountId', deliveries.account_id, 'deliveryId', deliveries.id, 'channel', channel,
        'subscriptionId', s.id))
      FROM deliveries LEFT JOIN push_subscriptions s ON deliveries.channel = 'push' AND s.account_id = deliveries.account_id
        AND (s.expires_at IS NULL OR s.expires_at > ${now})) AS outgoing`.execute(tx)
  const { late, outgoing } = rows[0]!
  if (late) await moveAfterReadThrough(tx, late, events, now)
  return outgoing ?? []
}

/**
 * Fixes a race: a notification written while its recipient marks everything as read would have an earlier time, and
 * count as read without being seen. The counts are locked at this point, so we can safely date it just after
 * `read_through`.
 */
async function moveAfterReadThrough(
  tx: Tx,
  accountIds: readonly string[],
  events: readonly EventRow[],
  now: Date,
): Promise<void> {
  await sql`
    UPDATE notifications n SET created_at = c.read_through + interval '1 microsecond' FROM notification_counts c
    WHERE n.account_id = ANY(${accountIds}::uuid[]) AND n.origin = ANY(${events.map(({ origin }) => origin)}::text[])
      AND n.created_at = ${now} AND c.account_id = n.account_id AND c.kind = n.kind AND n.created_at <= c.read_through`.execute(
    tx,
  )
}
