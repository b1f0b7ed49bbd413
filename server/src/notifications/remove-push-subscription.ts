import { type removePushSubscription as declared, subscriptionNotFound } from '@pennypost/contract/push'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'
import { removeOwnSubscription } from './subscription-store.ts'

export const removePushSubscription: Handler<typeof declared> = async ({ db }, { caller, body }) => {
  if (!(await removeOwnSubscription(db, caller.accountId, body.endpoint))) refuse(subscriptionNotFound)
  return { status: 200, body: { success: true } }
}
