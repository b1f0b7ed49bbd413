import { unauthorized } from '@pennypost/contract/errors'
import type { getMe as declared } from '@pennypost/contract/me'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { meView } from './me-view.ts'
import { findMe } from './profile-store.ts'

export const getMe: Handler<typeof declared> = async ({ pool }, { caller }) => {
  const me = (await findMe(pool, caller.accountId)) ?? refuse(unauthorized)
  return { status: 200, body: meView(me, caller) }
}
