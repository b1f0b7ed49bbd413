import type { Profile } from '@pennypost/contract/profiles'
import type { ProfileRow } from '../accounts/caller-account.ts'
import { defaultTipping } from './profile-rules.ts'
import type { ReceivingAddress } from './receiving-address-store.ts'

export const profileView = (row: ProfileRow, origin: string): Profile => ({
  id: row.id,
  name: row.name,
  handle: row.handle,
  bio: row.bio,
  location: row.location,
  socialLinks: row.social_links ?? [],
  pinnedPostId: row.pinned_post_id,
  avatarUrl: row.avatar_url && origin + row.avatar_url,
  headerImageUrl: row.header_image_url && origin + row.header_image_url,
  authorKind: row.author_kind,
  tipping: tippingView(row),
})

/** The tip button and the amounts that an author suggests. */
export const tippingView = ({
  tip_label,
  tip_amounts,
}: Pick<ProfileRow, 'tip_label' | 'tip_amounts'>): Profile['tipping'] => ({
  buttonLabel: tip_label ?? defaultTipping.buttonLabel,
  amounts: tip_amounts ?? defaultTipping.amounts,
})

export function receivingAddressView(saved: ReceivingAddress | undefined) {
  const addressUpdatedAt = saved?.updated_at.toISOString() ?? null
  return { payoutAddress: saved?.address ?? null, addressUpdatedAt, revision: addressUpdatedAt }
}
