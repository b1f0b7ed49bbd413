import { unauthorized } from '@pennypost/contract/errors'
import type { getProfile as declared } from '@pennypost/contract/profiles'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findProfile } from './profile-store.ts'
import { profileView } from './profile-view.ts'

export const getProfile: Handler<typeof declared> = async ({ pool }, { caller }) => {
  const profile = (await findProfile(pool, caller.accountId)) ?? refuse(unauthorized)
  return { status: 200, body: profileView(profile) }
}
