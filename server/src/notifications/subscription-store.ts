import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    push_subscriptions: SubscriptionTable
  }
}

interface SubscriptionTable {
  id: string
  account_id: string
  endpoint: string
  p256dh: string
  auth: string
  expires_at: Date | null
  created_at: Date
}

export type PushSubscriptionRow = Selectable<SubscriptionTable>
type NewSubscription = Omit<PushSubscriptionRow, 'id'>

// More devices than anyone has. Beyond that, the oldest is removed.
const maxSubscriptions = 20

/** Saves a browser's subscription. A browser has only one, which belongs to the last account that signed in there. */
export async function saveSubscription(tx: Tx, subscription: NewSubscription): Promise<string> {
  const { id } = await tx
    .insertInto('push_subscriptions')
    .values({ id: randomUUID(), ...subscription })
    .onConflict((conflict) => conflict.column('endpoint').doUpdateSet(subscription))
    .returning('id')
    .executeTakeFirstOrThrow()
  const oldest = tx
    .selectFrom('push_subscriptions')
    .select('id')
    .where('account_id', '=', subscription.account_id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset(maxSubscriptions)
  await tx.deleteFrom('push_subscriptions').where('id', 'in', oldest).where('id', '<>', id).execute()
  return id
}

export const findSubscription = (db: Db, id: string): Promise<PushSubscriptionRow | undefined> =>
  db.selectFrom('push_subscriptions').selectAll().where('id', '=', id).executeTakeFirst()

export const removeSubscription = (db: Db, id: string): Promise<unknown> =>
  db.deleteFrom('push_subscriptions').where('id', '=', id).execute()

export async function removeOwnSubscription(db: Db, accountId: string, endpoint: string): Promise<boolean> {
  const removed = await db
    .deleteFrom('push_subscriptions')
    .where('account_id', '=', accountId)
    .where('endpoint', '=', endpoint)
    .returning('id')
    .executeTakeFirst()
  return removed !== undefined
}
