import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'

/** Cancels everything that would still be sent to an account, and takes it off the leaderboards. */
export async function stopNotifications(tx: Tx, accountId: string, now: Date): Promise<void> {
  await sql`DELETE FROM push_subscriptions WHERE account_id = ${accountId}`.execute(tx)
  await sql`
    UPDATE notification_preferences SET email_notifications = false, push_notifications = false,
      in_app_notifications = false, show_on_creator_leaderboards = false, show_on_supporter_leaderboard = false
    WHERE account_id = ${accountId}`.execute(tx)
  await sql`
    UPDATE notification_deliveries SET state = 'cancelled', finished_at = ${now}
    WHERE account_id = ${accountId} AND state = 'waiting'`.execute(tx)
}

const batchSize = 1_000
const title = 'From a deleted account'

/** Deletes the notifications of an account, and erases its name from those of others. */
export async function eraseNotifications(db: Db, accountId: string): Promise<void> {
  const own = sql`account_id = ${accountId}`
  for (const table of [
    'notifications',
    'notification_deliveries',
    'notification_counts',
    'notification_mutes',
    'push_subscriptions',
  ])
    await deleteInBatches(db, table, own, batchSize)
  for (const table of ['notifications', 'notification_deliveries'])
    for (let erased = batchSize; erased === batchSize; ) {
      const { numAffectedRows } = await sql`
        UPDATE ${sql.table(table)} SET title = ${title}, body = '', url = '/notifications'
        WHERE ctid = ANY (ARRAY (SELECT ctid FROM ${sql.table(table)}
          WHERE actor_id = ${accountId} AND title <> ${title} LIMIT ${batchSize}))`.execute(db)
      erased = Number(numAffectedRows)
    }
}
