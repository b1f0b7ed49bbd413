import {
  type clearPayoutAddress as declared,
  type clearBasePayoutAddress as declaredBase,
  receivingAddressInUse,
} from '@pennypost/contract/profiles'
import { lockOwnAccount } from '../accounts/account-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import { receivingAddressView } from './profile-view.ts'
import { clearReceivingAddress, type Rail } from './receiving-address-store.ts'
import type { Handler, ProfileServices } from './services.ts'

export const clearPayoutAddress: Handler<typeof declared> = async (services, { caller }) => {
  await clear(services, caller.accountId, 'nano')
  return { status: 200, body: receivingAddressView(undefined) }
}

export const clearBasePayoutAddress: Handler<typeof declaredBase> = async (services, { caller }) => {
  await clear(services, caller.accountId, 'base')
  return { status: 200, body: receivingAddressView(undefined) }
}

/** Removes the address, unless a published post depends on it. */
async function clear({ db, isAddressNeeded }: ProfileServices, accountId: string, rail: Rail): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Publishing and price changes take the same lock, so neither can overtake the other.
    await lockOwnAccount(tx, accountId)
    if (await isAddressNeeded(tx, accountId, rail)) refuse(receivingAddressInUse)
    await clearReceivingAddress(tx, accountId, rail)
  })
}
