import type {
  clearPayoutAddress as declared,
  clearBasePayoutAddress as declaredBase,
} from '@pennypost/contract/profiles'
import type { Handler } from '../services.ts'
import { receivingAddressView } from './profile-view.ts'
import { clearReceivingAddress } from './receiving-address-store.ts'

export const clearPayoutAddress: Handler<typeof declared> = async ({ db }, { caller }) => {
  await clearReceivingAddress(db, caller.accountId, 'nano')
  return { status: 200, body: receivingAddressView(undefined) }
}

export const clearBasePayoutAddress: Handler<typeof declaredBase> = async ({ db }, { caller }) => {
  await clearReceivingAddress(db, caller.accountId, 'base')
  return { status: 200, body: receivingAddressView(undefined) }
}
