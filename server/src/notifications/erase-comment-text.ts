import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'
import { commentKinds } from './notification-event.ts'
import { listOfKinds } from './switches.ts'

/**
 * Removes the text of a deleted comment from all feeds and stored messages, and cancels messages that are still
 * waiting. A push that already reached one device is not sent to the others, because its job checks the comment first.
 */
export async function eraseCommentText(tx: Tx, commentId: string, now: Date): Promise<void> {
  await sql`
    UPDATE notifications SET body = ''
    WHERE comment_id = ${commentId} AND kind IN (${listOfKinds(commentKinds)}) AND body <> ''`.execute(tx)
  await sql`
    UPDATE notification_deliveries SET body = '', state = CASE state WHEN 'waiting' THEN 'cancelled' ELSE state END,
      finished_at = coalesce(finished_at, ${now})
    WHERE comment_id = ${commentId} AND kind IN (${listOfKinds(commentKinds)}) AND (body <> '' OR state = 'waiting')`.execute(
    tx,
  )
}
