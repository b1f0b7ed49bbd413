import { type verifyLogin as declared, invalidVerification } from '@pennypost/contract/sessions'
import { refuse } from '../platform/http/refuse.ts'
import { findAccountByEmail } from './account-store.ts'
import { checkCode, refuseWrongCode } from './email-codes.ts'
import type { Handler } from './services.ts'
import { startSession } from './session-store.ts'

export const verifyLogin: Handler<typeof declared> = async (
  { db, clock, secrets, tokens },
  { body: { email, code }, ip, visit },
) => {
  const now = clock.now()
  const outcome = await db.transaction().execute(async (tx) => {
    const check = await checkCode(tx, secrets, {
      purpose: 'login',
      subject: email,
      code,
      email,
      ip,
      now,
    })
    if (!check.right) return check
    const account = await findAccountByEmail(tx, email)
    return account && account.suspended_at === null
      ? { ...check, session: await startSession(tx, account.id, 'email', visit, now) }
      : { ...check, session: undefined }
  })
  if (!outcome.right) return refuseWrongCode(outcome)
  // The account lost this address after the code was sent, or the account is suspended.
  const session = outcome.session ?? refuse(invalidVerification)
  return { status: 200, body: { ...(await tokens.pair(session)), session: { user: { id: session.account_id } } } }
}
