import { type readNanoLedger as declared, noDevelopmentLedger } from '@pennypost/contract/development-tools'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'

export const readNanoLedger: Handler<typeof declared> = async ({ nano, nanoFaucet }) => {
  if (!nano.embeddedLedger || !nanoFaucet) return refuse(noDevelopmentLedger)
  const { rpcUrl, wsUrl } = await nano.embeddedLedger()
  const { address, secretKey: privateKey } = nanoFaucet
  return { status: 200, body: { rpcUrl, wsUrl, faucet: { address, privateKey }, network: nano.network } }
}
