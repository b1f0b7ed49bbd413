import {
  getFollow,
  getFollowCounts,
  getFollowPreferences,
  listFollowers,
  listFollowing,
  updateFollow,
  updateFollowPreferences,
} from './follows.ts'
import { getMe } from './me.ts'
import {
  clearBasePayoutAddress,
  clearPayoutAddress,
  declareAgent,
  getBasePayoutAddress,
  getHandleAvailability,
  getPayoutAddress,
  getProfile,
  removeHeaderImage,
  saveBasePayoutAddress,
  savePayoutAddress,
  updateProfile,
} from './profiles.ts'

/** Your own profile, handle and payout addresses, and follows between profiles. */
export const profileOperations = {
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
}
