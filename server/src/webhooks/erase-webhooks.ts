import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'

/** Cancels what would still be sent to an account's webhooks. */
export const stopWebhooks = (tx: Tx, accountId: string): Promise<unknown> =>
  sql`UPDATE webhooks SET disabled_reason = 'owner' WHERE account_id = ${accountId}`.execute(tx)

/** Deletes an account's webhooks and what they were sent. */
export async function eraseWebhooks(db: Db, accountId: string): Promise<void> {
  const own = sql`webhook_id IN (SELECT id FROM webhooks WHERE account_id = ${accountId})`
  await deleteInBatches(db, 'webhook_deliveries', own)
  await sql`DELETE FROM webhooks WHERE account_id = ${accountId}`.execute(db)
}
