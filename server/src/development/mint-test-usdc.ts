import { type mintTestUsdc as declared, noDevelopmentChain } from '@pennypost/contract/development-tools'
import { validation } from '@pennypost/contract/errors'
import { refuse } from '../platform/http/refuse.ts'
import { parseBaseAddress } from '../rails/base/parse-base-address.ts'
import type { Handler } from './services.ts'

export const mintTestUsdc: Handler<typeof declared> = async ({ base }, { body }) => {
  if (!base?.embeddedChain) return refuse(noDevelopmentChain)
  const to = parseBaseAddress(body.to)
  if (!to || /^0x0{40}$/.test(to)) {
    return refuse(validation, {
      errors: [{ field: 'to', code: 'invalid_address', message: 'is not an address on Base' }],
    })
  }
  const chain = await base.embeddedChain()
  return { status: 200, body: { transaction: await chain.mint(to, BigInt(body.amountAtomic)) } }
}
