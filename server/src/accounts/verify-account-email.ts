import {
  type verifyAccountEmail as declared,
  noPendingEmail,
  untrustedConfirmation,
} from '@pennypost/contract/account-email'
import { invalidVerification } from '@pennypost/contract/sessions'
import { refuse } from '../platform/http/refuse.ts'
import { lockOwnAccount } from './account-store.ts'
import { confirmEmailChange } from './confirm-email-change.ts'
import { confirmationToken } from './confirmation-token.ts'
import { findEmailChange, lockChangeByLink } from './email-change-store.ts'
import { accountCodeSubject, checkCode, refuseWrongCode } from './email-codes.ts'
import type { AccountServices, Handler } from './services.ts'

export const verifyAccountEmail: Handler<typeof declared> = async (services, { caller, body, ip }) => {
  const email =
    body.code === undefined
      ? await confirmByUrl(services, caller.accountId, body.confirmationUrl!)
      : await confirmByCode(services, caller.accountId, body.code, ip)
  return { status: 200, body: { status: 'verified', email, session: null } }
}

async function confirmByCode(
  { db, clock, secrets }: AccountServices,
  accountId: string,
  code: string,
  ip: string,
): Promise<string> {
  const outcome = await db.transaction().execute(async (tx) => {
    await lockOwnAccount(tx, accountId)
    const change = (await findEmailChange(tx, accountId)) ?? refuse(noPendingEmail)
    const check = await checkCode(tx, secrets, {
      purpose: 'email_change',
      subject: accountCodeSubject(accountId, change.email),
      code,
      email: change.email,
      ip,
      now: clock.now(),
    })
    return check.right ? { ...check, email: await confirmEmailChange(tx, clock, change) } : check
  })
  return outcome.right ? outcome.email : refuseWrongCode(outcome)
}

async function confirmByUrl(
  { db, clock, config, origins }: AccountServices,
  accountId: string,
  url: string,
): Promise<string> {
  const token = confirmationToken(url, config.identityProviderUrl ?? origins.base) ?? refuse(untrustedConfirmation)
  return db.transaction().execute(async (tx) => {
    const change = await lockChangeByLink(tx, token, clock.now())
    if (change?.account_id !== accountId) return refuse(invalidVerification)
    return confirmEmailChange(tx, clock, change)
  })
}
