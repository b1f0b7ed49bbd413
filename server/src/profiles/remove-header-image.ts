import type { removeHeaderImage as declared } from '@pennypost/contract/profiles'
import { cancelProfileImageUploads } from '../uploads/post-uploads.ts'
import { showProfileImage } from './profile-store.ts'
import type { Handler } from './services.ts'

/** Removes the header image and cancels any upload of one that is still being checked. */
export const removeHeaderImage: Handler<typeof declared> = async ({ db, clock }, { caller }) => {
  await db.transaction().execute(async (tx) => {
    await cancelProfileImageUploads(tx, clock, caller.accountId, 'header')
    await showProfileImage(tx, caller.accountId, 'header', null)
  })
  return { status: 200, body: { headerImageUrl: null } }
}
