import type { getNotificationPreferences as declared } from '@pennypost/contract/notification-preferences'
import { readPreferences } from './preference-store.ts'
import type { Handler } from './services.ts'

export const getNotificationPreferences: Handler<typeof declared> = async ({ pool }, { caller }) => ({
  status: 200,
  body: await readPreferences(pool, caller.accountId),
})
