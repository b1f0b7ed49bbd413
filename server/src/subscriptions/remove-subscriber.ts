import { type removeSubscriber as declared, subscriberNotFound } from '@pennypost/contract/subscribers'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'
import { removeOwnSubscriber } from './subscriber-store.ts'

export const removeSubscriber: Handler<typeof declared> = async ({ db }, { caller, params }) => {
  const { subscriberId: id } = params
  const isRemoved = await db.transaction().execute((tx) => removeOwnSubscriber(tx, caller.accountId, id))
  return isRemoved ? { status: 200, body: { id, deleted: true } } : refuse(subscriberNotFound)
}
