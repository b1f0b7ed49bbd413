import type { removeHeaderImage as declared } from '@pennypost/contract/profiles'
import { cancelProfileImageUploads } from '../uploads/post-uploads.ts'
import { showProfileImage } from './profile-store.ts'
import type { Handler } from './services.ts'

/** §4: a header that is still being checked is not wanted any more either. */
export const removeHeaderImage: Handler<typeof declared> = async ({ db, clock }, { caller }) => {
  await db.transaction().execute(async (tx) => {
    await cancelProfileImageUploads(tx, clock, caller.accountId, 'header')
    await showProfileImage(tx, caller.accountId, 'header', null)
  })
  return { status: 200, body: { headerImageUrl: null } }
}
