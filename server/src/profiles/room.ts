import type { profileOperations } from '@pennypost/contract/profile-operations'
import type { Room } from '../platform/room.ts'
import { clearBasePayoutAddress, clearPayoutAddress } from './clear-payout-address.ts'
import { declareAgent } from './declare-agent.ts'
import { getFollow } from './follows/get-follow.ts'
import { getFollowCounts } from './follows/get-follow-counts.ts'
import { getFollowPreferences } from './follows/get-follow-preferences.ts'
import { listFollowers } from './follows/list-followers.ts'
import { listFollowing } from './follows/list-following.ts'
import { notifyFollowers } from './follows/notify-followers.job.ts'
import { updateFollow } from './follows/update-follow.ts'
import { updateFollowPreferences } from './follows/update-follow-preferences.ts'
import { getHandleAvailability } from './get-handle-availability.ts'
import { getMe } from './get-me.ts'
import { getBasePayoutAddress, getPayoutAddress } from './get-payout-address.ts'
import { getProfile } from './get-profile.ts'
import { removeHeaderImage } from './remove-header-image.ts'
import { saveBasePayoutAddress, savePayoutAddress } from './save-payout-address.ts'
import type { ProfileServices } from './services.ts'
import { updateProfile } from './update-profile.ts'

export const profilesRoom: Room<typeof profileOperations, ProfileServices> = {
  handlers: {
    getMe,
    getProfile,
    updateProfile,
    removeHeaderImage,
    declareAgent,
    getHandleAvailability,
    getPayoutAddress,
    savePayoutAddress,
    clearPayoutAddress,
    getBasePayoutAddress,
    saveBasePayoutAddress,
    clearBasePayoutAddress,
    getFollow,
    updateFollow,
    getFollowPreferences,
    updateFollowPreferences,
    listFollowers,
    listFollowing,
    getFollowCounts,
  },
  jobs: [notifyFollowers],
}
