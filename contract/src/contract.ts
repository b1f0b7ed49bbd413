import {
  changeAccountEmail,
  confirmEmailByLink,
  getAccountEmail,
  resendAccountEmail,
  showEmailConfirmation,
  verifyAccountEmail,
} from './account-email.ts'
import { listAuditEntries } from './admin.ts'
import { addComment, deleteComment, getComment, listComments, listPublicComments } from './comments.ts'
import { makeAdministrator, moveClock, readCapturedMail, readClock, setRates } from './dev.ts'
import { getPublicPost, listTagPosts } from './discovery.ts'
import {
  getFollow,
  getFollowCounts,
  getFollowPreferences,
  listFollowers,
  listFollowing,
  updateFollow,
  updateFollowPreferences,
} from './follows.ts'
import { issueKey, listKeys, revokeKey, rotateKey } from './keys.ts'
import { getMe } from './me.ts'
import { suggestMentions, suggestMentionsPublicly } from './mentions.ts'
import { getNotificationPreferences, updateNotificationPreferences } from './notification-preferences.ts'
import {
  getPostMute,
  listNotifications,
  markAllRead,
  markContextRead,
  markNotificationsRead,
  updatePostMute,
} from './notifications.ts'
import { getDocs, getHealth, getMetrics, getOpenApi, getProblem, getReadiness } from './operations.ts'
import {
  createPost,
  deletePost,
  getPost,
  listCategories,
  listPosts,
  listTags,
  publishPost,
  updatePost,
  withdrawPost,
} from './posts.ts'
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
import { addPushSubscription, getPushKey, removePushSubscription } from './push.ts'
import {
  getCommentReactions,
  getPostReactions,
  getPublicCommentReactions,
  getPublicPostReactions,
  reactToComment,
  reactToPost,
} from './reactions.ts'
import { issueRegistrationKey, startRegistration, verifyRegistration } from './registrations.ts'
import { decideReport, listReports, reportComment, reportPost } from './reports.ts'
import { getSigningKeys, logIn, logOut, refreshSession, verifyLogin } from './sessions.ts'
import { listCommentSupporters, listTipActivities } from './tips.ts'
import { showUnsubscribe, unsubscribe } from './unsubscribe.ts'

/** Every operation of the service. A name here is the operation id, the handler's name and the client's method. */
export const contract = {
  logIn,
  verifyLogin,
  refreshSession,
  logOut,
  getSigningKeys,
  startRegistration,
  verifyRegistration,
  issueRegistrationKey,
  listKeys,
  issueKey,
  revokeKey,
  rotateKey,
  getMe,
  getPayoutAddress,
  savePayoutAddress,
  clearPayoutAddress,
  getBasePayoutAddress,
  saveBasePayoutAddress,
  clearBasePayoutAddress,
  getAccountEmail,
  changeAccountEmail,
  resendAccountEmail,
  verifyAccountEmail,
  showEmailConfirmation,
  confirmEmailByLink,
  getNotificationPreferences,
  updateNotificationPreferences,
  listNotifications,
  markNotificationsRead,
  markContextRead,
  markAllRead,
  getPostMute,
  updatePostMute,
  getPushKey,
  addPushSubscription,
  removePushSubscription,
  showUnsubscribe,
  unsubscribe,
  getFollow,
  updateFollow,
  getFollowPreferences,
  updateFollowPreferences,
  listFollowers,
  listFollowing,
  getFollowCounts,
  getProfile,
  updateProfile,
  removeHeaderImage,
  declareAgent,
  getHandleAvailability,
  createPost,
  listPosts,
  getPost,
  updatePost,
  deletePost,
  publishPost,
  withdrawPost,
  listTags,
  listCategories,
  getPublicPost,
  listTagPosts,
  listComments,
  listPublicComments,
  addComment,
  getComment,
  deleteComment,
  suggestMentions,
  suggestMentionsPublicly,
  getPostReactions,
  getPublicPostReactions,
  reactToPost,
  getCommentReactions,
  getPublicCommentReactions,
  reactToComment,
  reportPost,
  reportComment,
  listTipActivities,
  listCommentSupporters,
  listReports,
  decideReport,
  listAuditEntries,
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
  getDocs,
  getProblem,
}

/** Operations that exist in development only. */
export const developmentContract = { readCapturedMail, readClock, moveClock, setRates, makeAdministrator }
