import type { getProfile as declared } from '@pennypost/contract/profiles'
import { profileView } from './profile-view.ts'
import type { Handler } from './services.ts'

export const getProfile: Handler<typeof declared> = async (_services, { caller, origin }) => ({
  status: 200,
  body: profileView(caller.account, origin),
})
