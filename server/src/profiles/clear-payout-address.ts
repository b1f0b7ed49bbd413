import {
  type clearPayoutAddress as declared,
  type clearBasePayoutAddress as declaredBase,
  receivingAddressInUse,
} from '@pennypost/contract/profiles'
import { lockAccount } from '../accounts/account-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler, Services } from '../services.ts'
import { hasPublishedPost } from './profile-store.ts'
import { receivingAddressView } from './profile-view.ts'
import { clearReceivingAddress, hasReceivingAddress, type Rail } from './receiving-address-store.ts'

export const clearPayoutAddress: Handler<typeof declared> = async (services, { caller }) => {
  await clear(services, caller.accountId, 'nano')
  return { status: 200, body: receivingAddressView(undefined) }
}

export const clearBasePayoutAddress: Handler<typeof declaredBase> = async (services, { caller }) => {
  await clear(services, caller.accountId, 'base')
  return { status: 200, body: receivingAddressView(undefined) }
}

/** §1: every public Post has a receiving address, so the last one stays while there is such a Post. */
async function clear({ db }: Services, accountId: string, rail: Rail): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Publishing takes the same lock, so that neither can overtake the other.
    await lockAccount(tx, accountId)
    await clearReceivingAddress(tx, accountId, rail)
    const isLast = !(await hasReceivingAddress(tx, accountId))
    if (isLast && (await hasPublishedPost(tx, accountId))) refuse(receivingAddressInUse)
  })
}
