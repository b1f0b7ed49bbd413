import type { getNotificationPreferences as declared } from '@pennypost/contract/notification-preferences'
import type { Handler } from '../services.ts'
import { readPreferences } from './preference-store.ts'

export const getNotificationPreferences: Handler<typeof declared> = async ({ pool }, { caller }) => ({
  status: 200,
  body: await readPreferences(pool, caller.accountId),
})
