import { unauthorized, validation } from '@pennypost/contract/errors'
import { type updateProfile as declared, guestHandle, type ProfilePatch } from '@pennypost/contract/profiles'
import { type Account, lockOwnAccount, refuseTakenHandle, renameAccount } from '../accounts/account-store.ts'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { normalizeSocialLinks } from './profile-rules.ts'
import { findProfile, isHandleOfAnother, ownsPublishedPost, type ProfileChange, saveProfile } from './profile-store.ts'
import { profileView } from './profile-view.ts'
import type { Handler } from './services.ts'

export const updateProfile: Handler<typeof declared> = async ({ db, pool }, { caller, body, origin }) => {
  const { name, handle, ...said } = body
  await db.transaction().execute(async (tx) => {
    const account = await lockOwnAccount(tx, caller.accountId)
    if (handle !== undefined) await requireHandle(tx, account, handle)
    if (said.pinnedPostId) await requirePinnable(tx, account.id, said.pinnedPostId)
    const naming = { ...(name !== undefined && { name }), ...(handle !== undefined && { handle }) }
    if (Object.keys(naming).length > 0) await renameAccount(tx, account.id, naming)
    if (Object.keys(said).length > 0) await saveProfile(tx, account.id, changeOf(said))
  })
  const profile = (await findProfile(pool, caller.accountId)) ?? refuse(unauthorized)
  return { status: 200, body: profileView(profile, origin) }
}

// The unique index makes the final decision. Checking first avoids a deadlock between two accounts that want each
// other's handle: each sees that the other still has it.
async function requireHandle(tx: Tx, account: Account, handle: string): Promise<void> {
  if (account.is_anonymous) refuse(guestHandle)
  if (await isHandleOfAnother(tx, account.id, handle)) refuseTakenHandle()
}

async function requirePinnable(tx: Tx, accountId: string, postId: string): Promise<void> {
  if (await ownsPublishedPost(tx, accountId, postId)) return
  refuse(validation, {
    errors: [{ field: 'pinnedPostId', code: 'not_published', message: 'is not one of your published posts' }],
  })
}

function changeOf({ bio, location, socialLinks, pinnedPostId, tipping }: ProfilePatch): ProfileChange {
  return {
    ...(bio !== undefined && { bio: bio || null }),
    ...(location !== undefined && { location: location || null }),
    ...(socialLinks !== undefined && { social_links: JSON.stringify(normalizeSocialLinks(socialLinks)) }),
    ...(pinnedPostId !== undefined && { pinned_post_id: pinnedPostId }),
    ...(tipping !== undefined && { tip_label: tipping.buttonLabel, tip_amounts: JSON.stringify(tipping.amounts) }),
  }
}
