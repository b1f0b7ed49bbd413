import { randomUUID } from 'node:crypto'
import {
  type changeAccountEmail as declaredChange,
  type resendAccountEmail as declaredResend,
  noPendingEmail,
} from '@pennypost/contract/account-email'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { lockOwnAccount } from './account-store.ts'
import { findEmailChange, saveEmailChange } from './email-change-store.ts'
import { countSend } from './mailbox-limits.ts'
import { sendChangeNotice } from './send-change-notice.job.ts'
import { sendEmailChange } from './send-email-change.job.ts'
import type { Handler } from './services.ts'

export const changeAccountEmail: Handler<typeof declaredChange> = async (
  { db, clock, secrets },
  { caller, body: { email }, ip },
) =>
  db.transaction().execute(async (tx) => {
    const account = await lockOwnAccount(tx, caller.accountId)
    const pending = await findEmailChange(tx, caller.accountId)
    // Asking for the current or pending address again changes nothing.
    if (account.email === email || pending?.email === email) {
      return { status: 200, body: { status: 'already_pending', pendingEmail: pending?.email ?? null } }
    }
    await countSend(tx, secrets, { email, ip, now: clock.now() })
    await saveEmailChange(tx, account.id, email, clock.now())
    await enqueue(tx, clock, sendEmailChange, {
      accountId: account.id,
      email,
      issue: randomUUID(),
      issuedAt: clock.now(),
    })
    if (account.email) {
      const notice = { notice: randomUUID(), oldEmail: account.email, newEmail: email, moment: 'requested' as const }
      await enqueue(tx, clock, sendChangeNotice, notice)
    }
    return { status: 200, body: { status: 'confirmation_sent', pendingEmail: email } }
  })

export const resendAccountEmail: Handler<typeof declaredResend> = async ({ db, clock, secrets }, { caller, ip }) =>
  db.transaction().execute(async (tx) => {
    await lockOwnAccount(tx, caller.accountId)
    const pending = (await findEmailChange(tx, caller.accountId)) ?? refuse(noPendingEmail)
    await countSend(tx, secrets, { email: pending.email, ip, now: clock.now() })
    await enqueue(tx, clock, sendEmailChange, {
      accountId: caller.accountId,
      email: pending.email,
      issue: randomUUID(),
      issuedAt: clock.now(),
    })
    return { status: 200, body: { status: 'resent', pendingEmail: pending.email } }
  })
