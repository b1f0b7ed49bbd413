import { accountNotFound } from '@pennypost/contract/admin-accounts'
import type { makeAdmin as declared } from '@pennypost/contract/development-tools'
import { makeAccountAdmin } from '../accounts/account-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'

export const makeAdmin: Handler<typeof declared> = async ({ db }, { body }) => {
  if (!(await makeAccountAdmin(db, body.profileId))) refuse(accountNotFound)
  return { status: 200, body: { profileId: body.profileId, isAdmin: true } }
}
