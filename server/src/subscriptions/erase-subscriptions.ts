import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { deleteInBatches } from '../platform/database/delete-in-batches.ts'
import type { Secrets } from '../platform/secrets.ts'
import { endSubscriber } from './subscriber-store.ts'

/** Ends the subscriptions of an address whose account is being deleted. */
export async function endSubscriptionsOf(tx: Tx, secrets: Secrets, email: string, now: Date): Promise<void> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM subscribers WHERE email = ${email} ORDER BY id`.execute(tx)
  for (const { id } of rows) await endSubscriber(tx, secrets, id, 'unsubscribed', now)
}

/** Deletes the subscribers of a deleted account. Its mailings have stopped: its posts are not public. */
export async function eraseSubscribers(db: Db, creatorId: string): Promise<void> {
  const own = sql`creator_id = ${creatorId}`
  for (const table of [
    'subscribers',
    'ended_subscriptions',
    'subscriber_imports',
    'subscriber_counts',
    'post_mailings',
  ])
    await deleteInBatches(db, table, own)
}
