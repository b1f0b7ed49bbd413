import type { removeHeaderImage as declared } from '@pennypost/contract/profiles'
import type { Handler } from '../services.ts'
import { clearHeaderImage } from './profile-store.ts'

export const removeHeaderImage: Handler<typeof declared> = async ({ db }, { caller }) => {
  await clearHeaderImage(db, caller.accountId)
  return { status: 200, body: { headerImageUrl: null } }
}
