import {
  continuationExpired,
  continuationNotFound,
  type verifyContinuation as declared,
} from '@pennypost/contract/continuations'
import { invalidVerification } from '@pennypost/contract/sessions'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { type Account, createAccount, findAccountByEmail } from './account-store.ts'
import { lockContinuation, useContinuation } from './continuation-store.ts'
import { checkCode, refuseWrongCode } from './email-codes.ts'
import { admitNewAccount } from './invitation-store.ts'
import type { Handler } from './services.ts'
import { startSession } from './session-store.ts'

export const verifyContinuation: Handler<typeof declared> = async (
  { db, clock, secrets, tokens, site },
  { params, body, ip, visit },
) => {
  const now = clock.now()
  const outcome = await db.transaction().execute(async (tx) => {
    const continuation = (await lockContinuation(tx, params.continuationId)) ?? refuse(continuationNotFound)
    if (continuation.used_at) refuse(invalidVerification)
    if (continuation.expires_at <= now) refuse(continuationExpired)
    const { id, email } = continuation
    const check = await checkCode(tx, secrets, {
      purpose: 'continuation',
      subject: email,
      code: body.code,
      email,
      ip,
      now,
    })
    if (!check.right) return check
    await useContinuation(tx, id, now)
    const { account, isNew } = await accountOf(tx, email, now)
    if (isNew) await admitNewAccount(tx, site.settings().registration, continuation.invitation_id, now)
    if (account.suspended_at) return { ...check, session: undefined, isNew }
    return { ...check, session: await startSession(tx, account.id, 'email', visit, now), isNew }
  })
  if (!outcome.right) return refuseWrongCode(outcome)
  // The account is suspended. The code is used up all the same.
  const session = outcome.session ?? refuse(invalidVerification)
  return {
    status: 200,
    body: {
      ...(await tokens.pair(session)),
      isNewAccount: outcome.isNew,
      session: { user: { id: session.account_id } },
    },
  }
}

/** The account of a proven mailbox. A registration may create it at the same time. */
async function accountOf(tx: Tx, email: string, now: Date): Promise<{ account: Account; isNew: boolean }> {
  const known = await findAccountByEmail(tx, email)
  if (known) return { account: known, isNew: false }
  const created = await createAccount(tx, { email, isAnonymous: false, now })
  return { account: created ?? (await findAccountByEmail(tx, email))!, isNew: created !== undefined }
}
