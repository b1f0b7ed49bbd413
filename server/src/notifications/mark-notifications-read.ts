import type { markNotificationsRead as declared } from '@pennypost/contract/notifications'
import { markRowsRead } from './read-store.ts'
import type { Handler } from './services.ts'

export const markNotificationsRead: Handler<typeof declared> = async ({ db, clock }, { caller, body }) => {
  const updated = await db
    .transaction()
    .execute((tx) => markRowsRead(tx, caller.accountId, { ids: body.ids }, clock.now()))
  return { status: 200, body: { updated } }
}
