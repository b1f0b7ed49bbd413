import {
  continuationExpired,
  continuationNotFound,
  type verifyContinuation as declared,
  newAccounts,
} from '@pennypost/contract/continuations'
import { invalidVerification } from '@pennypost/contract/sessions'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { enforceLimitOfIp } from '../platform/limits/enforce-limit.ts'
import { type Account, createAccount, findAccountByEmail } from './account-store.ts'
import { lockContinuation, useContinuation } from './continuation-store.ts'
import { checkCode, refuseWrongCode } from './email-codes.ts'
import { admitNewAccount } from './invitation-store.ts'
import type { AccountServices, Handler } from './services.ts'
import { startSession } from './session-store.ts'

export const verifyContinuation: Handler<typeof declared> = async (services, { params, body, ip, visit }) => {
  const { db, clock, secrets, tokens, site } = services
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
    const { account, isNew } = await accountOf(tx, services, email, ip)
    if (isNew) await admitNewAccount(tx, site.settings().registration, continuation.invitation_id, now)
    if (account.suspended_at) return { ...check, session: undefined, isNew }
    return { ...check, session: await startSession(tx, account.id, 'email', visit, now), isNew }
  })
  if (!outcome.right) return refuseWrongCode(outcome)
  // The account is suspended. The code is used up anyway.
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

const tooManyAccounts =
  'Too many new accounts were created from your network in the last hour. Try again later; signing in to an account still works.'

/**
 * The account of a proven mailbox. A registration may create it at the same time. Only new accounts are counted, and after the
 * code was checked, so the limit does not reveal which addresses have an account.
 */
async function accountOf(
  tx: Tx,
  services: AccountServices,
  email: string,
  ip: string,
): Promise<{ account: Account; isNew: boolean }> {
  const known = await findAccountByEmail(tx, email)
  if (known) return { account: known, isNew: false }
  await enforceLimitOfIp(services, newAccounts, ip, tooManyAccounts)
  const created = await createAccount(tx, { email, isAnonymous: false, now: services.clock.now() })
  return { account: created ?? (await findAccountByEmail(tx, email))!, isNew: created !== undefined }
}
