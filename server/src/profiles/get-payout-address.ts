import type { getPayoutAddress as declared, getBasePayoutAddress as declaredBase } from '@pennypost/contract/profiles'
import { receivingAddressView } from './profile-view.ts'
import { findReceivingAddress } from './receiving-address-store.ts'
import type { Handler } from './services.ts'

export const getPayoutAddress: Handler<typeof declared> = async ({ pool }, { caller }) => ({
  status: 200,
  body: receivingAddressView(await findReceivingAddress(pool, caller.accountId, 'nano')),
})

export const getBasePayoutAddress: Handler<typeof declaredBase> = async ({ pool }, { caller }) => ({
  status: 200,
  body: receivingAddressView(await findReceivingAddress(pool, caller.accountId, 'base')),
})
