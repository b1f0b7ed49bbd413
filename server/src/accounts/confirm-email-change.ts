import { randomUUID } from 'node:crypto'
import { emailInUse } from '@pennypost/contract/account-email'
import { turnOffEmail } from '../notifications/preference-store.ts'
import type { ServiceClock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { isUniqueViolation, lockAccount } from './account-store.ts'
import { deleteEmailChange, type EmailChange } from './email-change-store.ts'
import { sendChangeNotice } from './send-change-notice.job.ts'

/** Moves the account to the new address after a code or link confirmed it, and notifies the old address. */
export async function confirmEmailChange(tx: Tx, clock: ServiceClock, change: EmailChange): Promise<string> {
  const now = clock.now()
  const account = await lockAccount(tx, change.account_id)
  try {
    await tx
      .updateTable('accounts')
      .set({ email: change.email, email_confirmed_at: now, is_anonymous: false })
      .where('id', '=', account.id)
      .execute()
  } catch (error) {
    if (isUniqueViolation(error, 'accounts_email')) refuse(emailInUse)
    throw error
  }
  await deleteEmailChange(tx, account.id)
  if (account.email) {
    await turnOffEmail(tx, account.id, now)
    const notice = { notice: randomUUID(), oldEmail: account.email, newEmail: change.email, moment: 'done' as const }
    await enqueue(tx, clock, sendChangeNotice, notice)
  }
  return change.email
}
