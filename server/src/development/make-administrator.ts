import { accountNotFound } from '@pennypost/contract/admin-accounts'
import type { makeAdministrator as declared } from '@pennypost/contract/dev'
import { appointAdmin } from '../accounts/account-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'

export const makeAdministrator: Handler<typeof declared> = async ({ db }, { body }) => {
  if (!(await appointAdmin(db, body.profileId))) refuse(accountNotFound)
  return { status: 200, body: { profileId: body.profileId, isAdmin: true } }
}
