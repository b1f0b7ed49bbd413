import { type removeAccountEmail as declared, lastLogin } from '@pennypost/contract/account-email'
import { turnOffEmail } from '../notifications/preference-store.ts'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { lockOwnAccount } from './account-store.ts'
import { deleteEmailChange } from './email-change-store.ts'
import { readEmailStatus } from './get-account-email.ts'
import type { Handler } from './services.ts'
import { countWallets } from './wallets/wallet-store.ts'

/** Removes the email address, if the account has another way to sign in. */
export const removeAccountEmail: Handler<typeof declared> = async ({ db, clock }, { caller }) => {
  const body = await db.transaction().execute(async (tx) => {
    await lockOwnAccount(tx, caller.accountId)
    // A wallet is the only other way to sign in.
    if ((await countWallets(tx, caller.accountId)) === 0) refuse(lastLogin)
    await removeEmail(tx, caller.accountId, clock.now())
    return readEmailStatus(tx, caller.accountId)
  })
  return { status: 200, body }
}

/** Removes the address and any pending change, and switches off email delivery. The caller holds the account lock. */
export async function removeEmail(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.updateTable('accounts').set({ email: null, email_confirmed_at: null }).where('id', '=', accountId).execute()
  await deleteEmailChange(tx, accountId)
  await turnOffEmail(tx, accountId, now)
}
