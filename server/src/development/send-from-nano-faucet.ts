import {
  type sendFromNanoFaucet as declared,
  faucetEmpty,
  noDevelopmentLedger,
} from '@pennypost/contract/development-tools'
import { validation } from '@pennypost/contract/errors'
import { parseNanoAddress } from '@pennypost/nano/address'
import { refuse } from '../platform/http/refuse.ts'
import { FaucetEmpty } from './nano-ledger/faucet.ts'
import type { Handler } from './services.ts'

export const sendFromNanoFaucet: Handler<typeof declared> = async ({ nano, nanoFaucet }, { body }) => {
  if (!nano.embeddedLedger || !nanoFaucet) return refuse(noDevelopmentLedger)
  if (!parseNanoAddress(body.to)) {
    return refuse(validation, { errors: [{ field: 'to', code: 'invalid_address', message: 'is not a Nano address' }] })
  }
  try {
    return { status: 200, body: { hash: await nanoFaucet.send(body.to, BigInt(body.amountRaw)) } }
  } catch (error) {
    if (error instanceof FaucetEmpty) return refuse(faucetEmpty)
    throw error
  }
}
