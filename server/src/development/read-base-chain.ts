import { type readBaseChain as declared, noDevelopmentChain } from '@pennypost/contract/dev'
import { refuse } from '../platform/http/refuse.ts'
import { baseChainId } from '../rails/base/chain/chain-contents.ts'
import type { Handler } from './services.ts'

export const readBaseChain: Handler<typeof declared> = async ({ base }) => {
  if (!base?.development) return refuse(noDevelopmentChain)
  const { rpcUrl } = await base.development.chain()
  const { faucet } = base.development
  return { status: 200, body: { rpcUrl, chainId: baseChainId, usdc: base.token.address, faucet } }
}
