import type { contract } from './contract.ts'
import type { Credential } from './credential.ts'
import type { OAuthScope } from './oauth-scopes.ts'

type TakesOwner<C> = C extends Credential
  ? Extract<C, 'owner-session' | 'publishing-key'>
  : C extends readonly (infer Kind)[]
    ? Extract<Kind, 'owner-session' | 'publishing-key'>
    : never

/** The operations that act for an account. */
type OwnOperation = {
  [Name in keyof typeof contract]: TakesOwner<(typeof contract)[Name]['credential']> extends never ? never : Name
}[keyof typeof contract]

const reading = ['read'] as const
const readingToInteract = ['read', 'interact'] as const
const interacting = ['interact'] as const
const publishing = ['publish'] as const
const finance = ['earnings'] as const
/** Only the owner can do this: no scope opens it to a program. */
const never = [] as const

/**
 * The scopes that open each operation; one of them is enough. It does not compile while an operation that acts for an
 * account is missing, so programs cannot call a new one until its scopes are chosen.
 */
const scopesByOperation: Readonly<Record<OwnOperation, readonly OAuthScope[]>> = {
  getMe: ['read', 'interact', 'publish', 'earnings'],

  listLibrary: reading,
  getAccess: reading,
  getAsset: reading,
  listPurchases: reading,
  getPurchase: readingToInteract,
  getTip: readingToInteract,
  getCheckout: readingToInteract,
  listNotifications: reading,
  getNotificationPreferences: reading,
  getPostMute: readingToInteract,
  listFollowedPosts: reading,
  getFollow: readingToInteract,
  getFollowPreferences: readingToInteract,
  listBookmarks: reading,
  getBookmark: readingToInteract,
  listComments: readingToInteract,
  getComment: readingToInteract,
  getPostReactions: readingToInteract,
  getCommentReactions: readingToInteract,
  getLeaderboard: readingToInteract,

  addComment: interacting,
  deleteComment: interacting,
  reactToPost: interacting,
  reactToComment: interacting,
  reportPost: interacting,
  reportComment: interacting,
  updateFollow: interacting,
  updateFollowPreferences: interacting,
  addBookmark: interacting,
  removeBookmark: interacting,
  markNotificationsRead: interacting,
  markContextRead: interacting,
  markAllRead: interacting,
  updatePostMute: interacting,
  createPurchase: interacting,
  cancelPurchase: interacting,
  tipPost: interacting,
  tipComment: interacting,
  tipCommentOfPost: interacting,
  tipThroughX402: interacting,
  tipCommentThroughX402: interacting,
  createCheckout: interacting,
  createTipCheckout: interacting,
  settleCheckout: interacting,

  // The operations that a publishing key can call.
  getProfile: publishing,
  updateProfile: publishing,
  removeHeaderImage: publishing,
  declareAgent: publishing,
  createPost: publishing,
  listPosts: publishing,
  getPost: publishing,
  updatePost: publishing,
  deletePost: publishing,
  publishPost: publishing,
  unschedulePost: publishing,
  withdrawPost: publishing,
  listPostVersions: publishing,
  getPostVersion: publishing,
  previewMarkdown: publishing,
  listTags: publishing,
  listSeries: publishing,
  createSeries: publishing,
  updateSeries: publishing,
  deleteSeries: publishing,
  getChosenPosts: publishing,
  chooseRelatedPosts: publishing,
  getStatistics: publishing,
  getPostStatistics: publishing,
  exportStatistics: publishing,
  exportPostStatistics: publishing,
  uploadPostImage: publishing,
  uploadAvatar: publishing,
  uploadHeader: publishing,
  listUploadOperations: publishing,
  getUploadOperation: publishing,
  associateUpload: publishing,
  cancelUpload: publishing,
  listAttachments: publishing,
  reserveAttachment: publishing,
  lookUpAttachment: publishing,
  transportAttachment: publishing,
  completeAttachment: publishing,
  editAttachment: publishing,
  removeAttachment: publishing,
  downloadAttachment: publishing,
  uploadAttachment: publishing,

  listTransactions: finance,
  exportTransactions: finance,
  listEarnings: finance,
  getEarningsReport: finance,
  listPayouts: finance,

  // Ways to sign in, and other credentials.
  issueRegistrationKey: never,
  logOut: never,
  listSessions: never,
  revokeSession: never,
  revokeOtherSessions: never,
  listKeys: never,
  issueKey: never,
  revokeKey: never,
  rotateKey: never,
  listConnectedPrograms: never,
  disconnectProgram: never,
  startNanoChallenge: never,
  startNanoTransfer: never,
  startSiwxChallenge: never,
  listWallets: never,
  linkWallet: never,
  unlinkWallet: never,
  getPrivateFeed: never,
  createPrivateFeed: never,
  revokePrivateFeed: never,
  addPushSubscription: never,
  removePushSubscription: never,

  // The email address, and how the account gets messages.
  getAccountEmail: never,
  changeAccountEmail: never,
  removeAccountEmail: never,
  resendAccountEmail: never,
  verifyAccountEmail: never,
  requestConfirmation: never,
  updateNotificationPreferences: never,
  subscribe: never,

  // Where money goes, and what gives paid posts away or moves purchases to the account.
  getPayoutAddress: never,
  savePayoutAddress: never,
  clearPayoutAddress: never,
  getBasePayoutAddress: never,
  saveBasePayoutAddress: never,
  clearBasePayoutAddress: never,
  bindPayout: never,
  claimPurchase: never,
  claimCheckout: never,
  getGiftLink: never,
  createGiftLink: never,
  disableGiftLink: never,
  listGiftLinks: never,

  // Other people's addresses.
  listSubscribers: never,
  exportSubscribers: never,
  importSubscribers: never,
  removeSubscriber: never,
  getMailing: never,

  listWebhooks: never,
  createWebhook: never,
  updateWebhook: never,
  deleteWebhook: never,
  replaceWebhookSecret: never,
  testWebhook: never,
  listWebhookDeliveries: never,
  redeliverWebhook: never,

  // The whole account at a time.
  startImport: never,
  importPost: never,
  importImage: never,
  importAttachment: never,
  listImportedPosts: never,
  startExport: never,
  downloadExport: never,
  deleteAccount: never,

  // Administration.
  barPost: never,
  restorePost: never,
  listObligations: never,
  retryObligation: never,
  settleObligation: never,
  listReports: never,
  decideReport: never,
  getAdminOverview: never,
  listAccounts: never,
  suspendAccount: never,
  restoreAccount: never,
  removeAgentLabel: never,
  listHolds: never,
  placeHold: never,
  clearHold: never,
  listDeadJobs: never,
  retryDeadJob: never,
  dismissDeadJob: never,
  listAuditEntries: never,
  getSiteSettings: never,
  updateSiteSettings: never,
  listInvitations: never,
  createInvitation: never,
  revokeInvitation: never,
  claimAdmin: never,
}

/** The scopes that open an operation. None for an operation that is not in the table. */
export const scopesOf = (operation: string): readonly OAuthScope[] =>
  Object.hasOwn(scopesByOperation, operation) ? scopesByOperation[operation as OwnOperation] : never
