import type { getAccountEmail as declared } from '@pennypost/contract/account-email'
import type { Handler } from '../services.ts'
import { findAccount } from './account-store.ts'
import { findEmailChange } from './email-change-store.ts'

export const getAccountEmail: Handler<typeof declared> = async ({ db }, { caller }) => {
  const email = (await findAccount(db, caller.accountId))?.email ?? null
  const pendingEmail = (await findEmailChange(db, caller.accountId))?.email ?? null
  return { status: 200, body: { status: pendingEmail ? 'pending' : email ? 'confirmed' : 'none', email, pendingEmail } }
}
