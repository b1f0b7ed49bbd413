import {
  type issueRegistrationKey as declared,
  foreignRegistration,
  keyAlreadyIssued,
  registrationExpired,
  registrationNotFound,
} from '@pennypost/contract/registrations'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { type Account, isGeneratedHandle, lockOwnAccount, refuseTakenHandle, renameAccount } from './account-store.ts'
import { addKey, findKey } from './key-store.ts'
import { expiryOf, keyView } from './key-view.ts'
import { randomSecret, writeKey } from './publishing-key.ts'
import { lockRegistration, moveRegistration } from './registration-store.ts'
import type { Handler } from './services.ts'

export const issueRegistrationKey: Handler<typeof declared> = async ({ db, clock }, { caller, params, body }) => {
  const now = clock.now()
  const secret = randomSecret()
  const { account, key } = await db.transaction().execute(async (tx) => {
    const registration = (await lockRegistration(tx, params.registrationId)) ?? refuse(registrationNotFound)
    if (registration.account_id !== caller.accountId) {
      refuse(
        registration.state === 'started' && registration.expires_at <= now ? registrationExpired : foreignRegistration,
      )
    }
    if (registration.key_id) {
      const profile = profileOf(await lockOwnAccount(tx, caller.accountId))
      refuse(keyAlreadyIssued, { profile, apiKey: keyView(await findKey(tx, registration.key_id)) })
    }
    const account = await nameAccount(tx, caller.accountId, body?.handle)
    const newKey = {
      accountId: account.id,
      label: null,
      expiresAt: expiryOf(undefined, now),
      secretOf: () => secret,
      now,
    }
    const key = await addKey(tx, newKey)
    await moveRegistration(tx, registration.id, 'issueKey', { key_id: key.id })
    return { account, key }
  })
  return { status: 201, body: { profile: profileOf(account), apiKey: keyView(key), key: writeKey(key.key_id, secret) } }
}

// Another account may have taken the requested handle in the meantime. Then the caller has to choose a new one here.
async function nameAccount(tx: Tx, accountId: string, handle: string | undefined): Promise<Account> {
  if (handle !== undefined) return renameAccount(tx, accountId, { handle })
  const account = await lockOwnAccount(tx, accountId)
  return isGeneratedHandle(account.handle) ? refuseTakenHandle() : account
}

const profileOf = ({ id, name, handle }: Account) => ({ id, name, handle })
