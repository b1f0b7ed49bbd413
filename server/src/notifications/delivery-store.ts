import type { NotificationKind } from '@pennypost/contract/notification-preferences'
import { type Generated, type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { type DeliveryState, deliveryMoves } from './delivery-state.ts'
import { commentKinds } from './notification-event.ts'
import { emailSwitchFor, inAppSwitchFor, listOfKinds } from './switches.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    notification_deliveries: DeliveryTable
  }
}

interface DeliveryTable {
  id: Generated<string>
  account_id: string
  channel: 'email' | 'push'
  kind: NotificationKind
  origin: string
  actor_id: string | null
  post_id: string | null
  comment_id: string | null
  title: string
  body: string
  url: string
  address: string | null
  state: Generated<DeliveryState>
  created_at: Date
  finished_at: Date | null
  counted_at: Generated<Date | null>
  held_at: Generated<Date | null>
}

/** A message, and whether its recipient still wants it. */
export interface Delivery {
  readonly id: string
  readonly account_id: string
  readonly channel: 'email' | 'push'
  readonly kind: NotificationKind
  readonly actor_id: string | null
  readonly post_id: string | null
  readonly comment_id: string | null
  readonly title: string
  readonly body: string
  readonly url: string
  readonly address: string | null
  readonly state: DeliveryState
  readonly counted_at: Date | null
  readonly held_at: Date | null
  readonly reader_name: string
  readonly is_wanted: boolean
}

/**
 * Finds a message and checks again whether to send it: switches, mutes, the address, the follow, and whether the post
 * or comment is still public.
 */
export async function findDelivery(db: Db, id: string): Promise<Delivery | undefined> {
  return (await listDeliveries(db, sql`d.id = ${id}`))[0]
}

/** The emails to an account that wait for its next digest, oldest first. */
export const listHeldEmails = (db: Db, accountId: string): Promise<Delivery[]> =>
  listDeliveries(
    db,
    sql`d.account_id = ${accountId} AND d.state = 'waiting' AND d.channel = 'email' AND d.held_at IS NOT NULL`,
  )

async function listDeliveries(db: Db, where: RawBuilder<unknown>): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    SELECT d.id, d.account_id, d.channel, d.kind, d.actor_id, d.post_id, d.comment_id, d.title, d.body, d.url, d.address,
      d.state, d.counted_at, d.held_at, a.name AS reader_name,
      CASE d.channel
        WHEN 'email' THEN p.email_notifications AND ${emailSwitchFor('d.kind')} AND a.email IS NOT DISTINCT FROM d.address
          AND (d.kind <> 'new_post' OR EXISTS (
            SELECT FROM follows f JOIN posts ON posts.id = d.post_id AND posts.status = 'published'
            WHERE f.creator_id = d.actor_id AND f.follower_id = d.account_id AND f.notify_new_posts
              AND f.notify_channel_email))
        ELSE p.push_notifications AND p.in_app_notifications AND ${inAppSwitchFor('d.kind')}
      END AND (d.kind NOT IN (${listOfKinds(commentKinds)}) OR EXISTS (
          SELECT FROM comments JOIN posts ON posts.id = comments.post_id AND posts.status = 'published'
          WHERE comments.id = d.comment_id AND comments.deleted_at IS NULL)
        AND NOT EXISTS (
          SELECT FROM notification_mutes m WHERE m.account_id = d.account_id AND m.post_id = d.post_id)) AS is_wanted
    FROM notification_deliveries d
    JOIN accounts a ON a.id = d.account_id
    JOIN notification_preferences p ON p.account_id = d.account_id
    WHERE ${where} ORDER BY d.created_at, d.id`.execute(db)
  return rows
}

/** Locks the count of an account's messages. Without it, two jobs could both take the last place. */
export const lockMessages = async (tx: Tx, accountId: string): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`messages ${accountId}`}, 0))`.execute(tx)
}

/** Whether emails to the account wait for its next digest. */
export async function hasHeldEmails(tx: Tx, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM notification_deliveries
    WHERE account_id = ${accountId} AND state = 'waiting' AND channel = 'email' AND held_at IS NOT NULL LIMIT 1`.execute(
    tx,
  )
  return rows.length > 0
}

/** Returns nothing if the message was already sent or cancelled. */
export const moveDelivery = (db: Db | Tx, id: string, move: keyof typeof deliveryMoves, now: Date) =>
  db
    .updateTable('notification_deliveries')
    .set({ state: deliveryMoves[move].to, finished_at: now })
    .where('id', '=', id)
    .where('state', 'in', deliveryMoves[move].from)
    .returning('id')
    .executeTakeFirst()

/** The same for many messages; those that were already sent or cancelled stay as they are. */
export async function moveDeliveries(
  db: Db | Tx,
  deliveries: readonly Pick<Delivery, 'id'>[],
  move: keyof typeof deliveryMoves,
  now: Date,
): Promise<void> {
  const { from, to } = deliveryMoves[move]
  const ids = deliveries.map(({ id }) => id)
  await sql`
    UPDATE notification_deliveries SET state = ${to}, finished_at = ${now}
    WHERE id = ANY(${ids}::uuid[]) AND state = ANY(${from})`.execute(db)
}

/**
 * Gives up on one device. Cancels the message if the recipient has no other device left to try; devices are tried one
 * at a time.
 */
export async function giveUpOnDevice(
  db: Db,
  { accountId, deliveryId, subscriptionId }: { accountId: string; deliveryId: string; subscriptionId: string },
  now: Date,
): Promise<void> {
  await sql`
    UPDATE notification_deliveries SET state = ${deliveryMoves.cancel.to}, finished_at = ${now}
    WHERE id = ${deliveryId} AND state = ANY(${deliveryMoves.cancel.from}) AND NOT EXISTS (
      SELECT FROM jobs WHERE queue = ${pushQueue(accountId)} AND dead_at IS NULL
        AND payload ->> 'deliveryId' = ${deliveryId}::text AND payload ->> 'subscriptionId' <> ${subscriptionId}::text)`.execute(
    db,
  )
}

/** The job queue for an account's push messages, which are sent one at a time. */
export const pushQueue = (accountId: string): string => `push ${accountId}`

/** Cancels an account's waiting emails when its confirmed address changes or is removed. */
export async function cancelEmails(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx
    .updateTable('notification_deliveries')
    .set({ state: deliveryMoves.cancel.to, finished_at: now })
    .where('account_id', '=', accountId)
    .where('channel', '=', 'email')
    .where('state', 'in', deliveryMoves.cancel.from)
    .execute()
}
