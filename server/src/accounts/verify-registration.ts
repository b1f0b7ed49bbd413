import {
  type verifyRegistration as declared,
  registrationExpired,
  registrationNotFound,
} from '@pennypost/contract/registrations'
import type { RegistrationMode } from '@pennypost/contract/site-settings'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { type Account, createAccount, findAccountByEmail } from './account-store.ts'
import { checkCode, refuseWrongCode } from './email-codes.ts'
import { admitNewAccount } from './invitation-store.ts'
import { lockRegistration, moveRegistration, type Registration } from './registration-store.ts'
import type { Handler } from './services.ts'
import { startSession } from './session-store.ts'

export const verifyRegistration: Handler<typeof declared> = async (
  { db, clock, secrets, tokens, site },
  { params, body, ip, visit },
) => {
  const now = clock.now()
  const outcome = await db.transaction().execute(async (tx) => {
    const registration = (await lockRegistration(tx, params.registrationId)) ?? refuse(registrationNotFound)
    if (registration.expires_at <= now) refuse(registrationExpired)
    const check = await checkCode(tx, secrets, {
      purpose: 'registration',
      subject: registration.id,
      code: body.code,
      email: registration.email,
      ip,
      now,
    })
    if (!check.right) return check
    const account = await accountOf(tx, registration, site.settings().registration, now)
    await moveRegistration(tx, registration.id, 'verify', { account_id: account.id })
    return { ...check, session: await startSession(tx, account.id, 'email', visit, now) }
  })
  if (!outcome.right) return refuseWrongCode(outcome)
  return { status: 200, body: await tokens.pair(outcome.session) }
}

// Two attempts for one mailbox can both be verified. The second finds the account that the first created.
async function accountOf(
  tx: Tx,
  { email, name, handle, invitation_id }: Registration,
  mode: RegistrationMode,
  now: Date,
): Promise<Account> {
  const created = await createAccount(tx, { email, name, handle, isAnonymous: false, now })
  if (!created) return (await findAccountByEmail(tx, email))!
  await admitNewAccount(tx, mode, invitation_id, now)
  return created
}
