import type { getAccountEmail as declared } from '@pennypost/contract/account-email'
import type { Db, Tx } from '../platform/database/database.ts'
import { findAccount } from './account-store.ts'
import { findEmailChange } from './email-change-store.ts'
import type { Handler } from './services.ts'

export const getAccountEmail: Handler<typeof declared> = async ({ db }, { caller }) => ({
  status: 200,
  body: await readEmailStatus(db, caller.accountId),
})

export async function readEmailStatus(db: Db | Tx, accountId: string) {
  const email = (await findAccount(db, accountId))?.email ?? null
  const pendingEmail = (await findEmailChange(db, accountId))?.email ?? null
  const status = pendingEmail ? ('pending' as const) : email ? ('confirmed' as const) : ('none' as const)
  return { status, email, pendingEmail }
}
