import type { declareAgent as declared } from '@pennypost/contract/profiles'
import { labelAsAgent } from '../accounts/account-store.ts'
import type { Handler } from './services.ts'

export const declareAgent: Handler<typeof declared> = async ({ db }, { caller }) => {
  await labelAsAgent(db, caller.accountId)
  return { status: 200, body: { authorKind: 'agent' } }
}
