import { type readBaseChain as declared, noDevelopmentChain } from '@pennypost/contract/development-tools'
import { refuse } from '../platform/http/refuse.ts'
import { baseChainId } from '../rails/base/base-chain-id.ts'
import { faucet } from './base-chain/chain-contents.ts'
import type { Handler } from './services.ts'

export const readBaseChain: Handler<typeof declared> = async ({ base }) => {
  if (!base?.embeddedChain) return refuse(noDevelopmentChain)
  const { rpcUrl } = await base.embeddedChain()
  return { status: 200, body: { rpcUrl, chainId: baseChainId, usdc: base.token.address, faucet } }
}
