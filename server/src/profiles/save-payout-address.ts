import { validation } from '@pennypost/contract/errors'
import type { savePayoutAddress as declared, saveBasePayoutAddress as declaredBase } from '@pennypost/contract/profiles'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { refuse } from '../platform/http/refuse.ts'
import { parseBaseAddress } from '../rails/base/parse-base-address.ts'
import { receivingAddressView } from './profile-view.ts'
import { saveReceivingAddress } from './receiving-address-store.ts'
import type { Handler } from './services.ts'

export const savePayoutAddress: Handler<typeof declared> = async ({ db, clock }, { caller, body }) => {
  const publicKey = parseNanoAddress(body.payoutAddress) ?? refuseAddress('invalid_address', 'is not a Nano address')
  // An address with the old `xrb_` prefix is saved with `nano_`.
  const address = nanoAddress(publicKey)
  const saved = await saveReceivingAddress(db, { accountId: caller.accountId, rail: 'nano', address, at: clock.now() })
  return { status: 200, body: receivingAddressView(saved) }
}

const zeroAddress = `0x${'0'.repeat(40)}`

export const saveBasePayoutAddress: Handler<typeof declaredBase> = async ({ db, clock, config }, { caller, body }) => {
  const address = parseBaseAddress(body.payoutAddress) ?? refuseAddress('invalid_address', 'is not a Base address')
  // Money sent to these addresses is lost.
  if ([zeroAddress, config.usdcAddress.toLowerCase()].includes(address.toLowerCase()))
    refuseAddress('not_allowed', 'cannot receive payments')
  const saved = await saveReceivingAddress(db, { accountId: caller.accountId, rail: 'base', address, at: clock.now() })
  return { status: 200, body: receivingAddressView(saved) }
}

const refuseAddress = (code: string, message: string): never =>
  refuse(validation, { errors: [{ field: 'payoutAddress', code, message }] })
