import { type readNanoLedger as declared, noDevelopmentLedger } from '@pennypost/contract/dev'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'

export const readNanoLedger: Handler<typeof declared> = async ({ nano: { development, network } }) => {
  if (!development) return refuse(noDevelopmentLedger)
  const { rpcUrl, wsUrl } = await development.ledger()
  const { address, secretKey: privateKey } = development.faucet
  return { status: 200, body: { rpcUrl, wsUrl, faucet: { address, privateKey }, network } }
}
