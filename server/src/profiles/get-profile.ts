import type { getProfile as declared } from '@pennypost/contract/profiles'
import type { Handler } from '../services.ts'
import { profileView } from './profile-view.ts'

export const getProfile: Handler<typeof declared> = async (_services, { caller, origin }) => ({
  status: 200,
  body: profileView(caller.account, origin),
})
