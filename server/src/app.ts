import { contract, developmentContract, siteContract } from '@pennypost/contract/contract'
import type { FastifyInstance } from 'fastify'
import { claimCheckout } from './access/checkout/claim-checkout.ts'
import { createCheckout } from './access/checkout/create-checkout.ts'
import { forgetCheckouts } from './access/checkout/forget-checkouts.job.ts'
import { getCheckout } from './access/checkout/get-checkout.ts'
import { recoverCheckout } from './access/checkout/recover-checkout.ts'
import { settleCheckout } from './access/checkout/settle-checkout.ts'
import { getAccess } from './access/get-access.ts'
import { getAsset } from './access/get-asset.ts'
import { getDidDocument } from './access/get-did-document.ts'
import { createGiftLink, disableGiftLink, getGiftLink } from './access/gift-links.ts'
import { listLibrary } from './access/list-library.ts'
import { createPrivateFeed, getPrivateFeed, revokePrivateFeed } from './access/private-feed/private-feeds.ts'
import { forgetNonces } from './access/siwx/forget-nonces.job.ts'
import { tipThroughX402 } from './access/tip-through-x402.ts'
import { removeAgentLabel, restoreAccount, suspendAccount } from './accounts/administer-account.ts'
import { authenticators } from './accounts/authenticators.ts'
import { changeAccountEmail, resendAccountEmail } from './accounts/change-account-email.ts'
import { confirmEmailByLink, showEmailConfirmation } from './accounts/email-confirmation-page.ts'
import { forgetExpired } from './accounts/forget-expired.job.ts'
import { forgetGuests } from './accounts/forget-guests.job.ts'
import { getAccountEmail } from './accounts/get-account-email.ts'
import { getSigningKeys } from './accounts/get-signing-keys.ts'
import { issueKey } from './accounts/issue-key.ts'
import { issueRegistrationKey } from './accounts/issue-registration-key.ts'
import { listAccounts } from './accounts/list-accounts.ts'
import { listAuditEntries } from './accounts/list-audit-entries.ts'
import { listDeadJobs } from './accounts/list-dead-jobs.ts'
import { listKeys } from './accounts/list-keys.ts'
import { listSessions } from './accounts/list-sessions.ts'
import { logIn } from './accounts/log-in.ts'
import { logOut } from './accounts/log-out.ts'
import { makeAdministrator } from './accounts/make-administrator.ts'
import { refreshSession } from './accounts/refresh-session.ts'
import { removeAccountEmail } from './accounts/remove-account-email.ts'
import { revokeKey } from './accounts/revoke-key.ts'
import { revokeSession } from './accounts/revoke-session.ts'
import { rotateKey } from './accounts/rotate-key.ts'
import { sendChangeNotice } from './accounts/send-change-notice.job.ts'
import { sendEmailChange } from './accounts/send-email-change.job.ts'
import { sendLoginCode } from './accounts/send-login-code.job.ts'
import { sendRegistrationCode } from './accounts/send-registration-code.job.ts'
import { dismissDeadJob, retryDeadJob } from './accounts/settle-dead-job.ts'
import { startRegistration } from './accounts/start-registration.ts'
import { verifyAccountEmail } from './accounts/verify-account-email.ts'
import { verifyLogin } from './accounts/verify-login.ts'
import { verifyRegistration } from './accounts/verify-registration.ts'
import { answerNanoChallenge } from './accounts/wallets/answer-nano-challenge.ts'
import { claimNanoTransfer } from './accounts/wallets/claim-nano-transfer.ts'
import { getNanoChallenge } from './accounts/wallets/get-nano-challenge.ts'
import { getNanoTransfer } from './accounts/wallets/get-nano-transfer.ts'
import { linkWallet } from './accounts/wallets/link-wallet.ts'
import { listWallets } from './accounts/wallets/list-wallets.ts'
import { startNanoChallenge } from './accounts/wallets/start-nano-challenge.ts'
import { startNanoTransfer } from './accounts/wallets/start-nano-transfer.ts'
import { startSiwxChallenge } from './accounts/wallets/start-siwx-challenge.ts'
import { unlinkWallet } from './accounts/wallets/unlink-wallet.ts'
import { verifyNanoChallenge } from './accounts/wallets/verify-nano-challenge.ts'
import { verifySiwxChallenge } from './accounts/wallets/verify-siwx-challenge.ts'
import { forgetReaders } from './discovery/forget-readers.job.ts'
import { getLeaderboard } from './discovery/get-leaderboard.ts'
import { getPublicPost } from './discovery/get-public-post.ts'
import { getX402Manifest } from './discovery/get-x402-manifest.ts'
import { listPublicPosts } from './discovery/list-catalog.ts'
import { listPaidPosts } from './discovery/list-paid-posts.ts'
import { listRelatedPosts } from './discovery/list-related-posts.ts'
import { listTagPosts } from './discovery/list-tag-posts.ts'
import { addComment } from './discussion/add-comment.ts'
import { decideReport } from './discussion/decide-report.ts'
import { deleteComment } from './discussion/delete-comment.ts'
import { getComment } from './discussion/get-comment.ts'
import { getCommentReactions, getPublicCommentReactions } from './discussion/get-comment-reactions.ts'
import { getPostReactions, getPublicPostReactions } from './discussion/get-post-reactions.ts'
import { listCommentSupporters } from './discussion/list-comment-supporters.ts'
import { listComments, listPublicComments } from './discussion/list-comments.ts'
import { listReports } from './discussion/list-reports.ts'
import { listTipActivities } from './discussion/list-tip-activities.ts'
import { reactToComment } from './discussion/react-to-comment.ts'
import { reactToPost } from './discussion/react-to-post.ts'
import { reportComment } from './discussion/report-comment.ts'
import { reportPost } from './discussion/report-post.ts'
import { suggestMentions, suggestMentionsPublicly } from './discussion/suggest-mentions.ts'
import { tellOfNewComment } from './discussion/tell-of-comment.job.ts'
import { withdrawNews } from './discussion/withdraw-comment-news.job.ts'
import { getFollow } from './follows/get-follow.ts'
import { getFollowCounts } from './follows/get-follow-counts.ts'
import { getFollowPreferences } from './follows/get-follow-preferences.ts'
import { listFollowers } from './follows/list-followers.ts'
import { listFollowing } from './follows/list-following.ts'
import { tellFollowers } from './follows/tell-followers.job.ts'
import { updateFollow } from './follows/update-follow.ts'
import { updateFollowPreferences } from './follows/update-follow-preferences.ts'
import { addPushSubscription } from './notifications/add-push-subscription.ts'
import { forgetDeliveries } from './notifications/forget-deliveries.job.ts'
import { getNotificationPreferences } from './notifications/get-notification-preferences.ts'
import { getPostMute } from './notifications/get-post-mute.ts'
import { getPushKey } from './notifications/get-push-key.ts'
import { listNotifications } from './notifications/list-notifications.ts'
import { markAllRead } from './notifications/mark-all-read.ts'
import { markContextRead } from './notifications/mark-context-read.ts'
import { markNotificationsRead } from './notifications/mark-notifications-read.ts'
import { removePushSubscription } from './notifications/remove-push-subscription.ts'
import { sendNotificationMail } from './notifications/send-notification-mail.job.ts'
import { sendPush } from './notifications/send-push.job.ts'
import { settleReadNotifications } from './notifications/settle-read-notifications.job.ts'
import { showUnsubscribe, unsubscribe } from './notifications/unsubscribe.ts'
import { updateNotificationPreferences } from './notifications/update-notification-preferences.ts'
import { updatePostMute } from './notifications/update-post-mute.ts'
import { writeSummaries } from './notifications/write-summaries.job.ts'
import { exportTransactions } from './payments/finance/export-transactions.ts'
import { getEarningsReport } from './payments/finance/get-earnings-report.ts'
import { listEarnings } from './payments/finance/list-earnings.ts'
import { listPayouts } from './payments/finance/list-payouts.ts'
import { listTransactions } from './payments/finance/list-transactions.ts'
import { notifyOfMoney } from './payments/finance/notify-of-money.job.ts'
import { listObligations } from './payments/obligations/list-obligations.ts'
import { retryObligation } from './payments/obligations/retry-obligation.ts'
import { settleObligation } from './payments/obligations/settle-obligation.ts'
import { cancelPurchase } from './payments/orders/cancel-purchase.ts'
import { claimPurchase } from './payments/orders/claim-purchase.ts'
import { closeForgottenOrders } from './payments/orders/close-forgotten-orders.job.ts'
import { closeOrder } from './payments/orders/close-order.job.ts'
import { createPurchase } from './payments/orders/create-purchase.ts'
import { getPurchase } from './payments/orders/get-purchase.ts'
import { getTip } from './payments/orders/get-tip.ts'
import { listPurchases } from './payments/orders/list-purchases.ts'
import { tipComment, tipCommentOfPost, tipPost } from './payments/orders/tip.ts'
import { bindPayout } from './payments/payouts/bind-payout.ts'
import { settlePayment } from './payments/x402/settle-payment.job.ts'
import { readCapturedMail } from './platform/development/captured-mail.ts'
import { moveClock, readClock } from './platform/development/clock.ts'
import type { Handlers } from './platform/http/handler.ts'
import { createResponseFinalizer } from './platform/http/response-finalizer.ts'
import { bind, createServer } from './platform/http/serve.ts'
import type { AnyJob } from './platform/jobs/job.ts'
import { answerDocs } from './platform/operations/get-docs.ts'
import { getHealth } from './platform/operations/get-health.ts'
import { getMetrics } from './platform/operations/get-metrics.ts'
import { answerOpenApi } from './platform/operations/get-openapi.ts'
import { answerProblem } from './platform/operations/get-problem.ts'
import { getReadiness } from './platform/operations/get-readiness.ts'
import { indexStalePosts } from './posts/catalog/index-stale-posts.job.ts'
import { clearBasePayoutAddress, clearPayoutAddress } from './posts/clear-payout-address.ts'
import { createPost } from './posts/create-post.ts'
import { deletePost } from './posts/delete-post.ts'
import { getPost } from './posts/get-post.ts'
import { listCategories } from './posts/list-categories.ts'
import { listPosts } from './posts/list-posts.ts'
import { listTags } from './posts/list-tags.ts'
import { barPost, restorePost } from './posts/moderate-post.ts'
import { previewMarkdown } from './posts/preview-markdown.ts'
import { publishPost } from './posts/publish-post.ts'
import { updatePost } from './posts/update-post.ts'
import { withdrawPost } from './posts/withdraw-post.ts'
import { declareAgent } from './profiles/declare-agent.ts'
import { getHandleAvailability } from './profiles/get-handle-availability.ts'
import { getMe } from './profiles/get-me.ts'
import { getBasePayoutAddress, getPayoutAddress } from './profiles/get-payout-address.ts'
import { getProfile } from './profiles/get-profile.ts'
import { removeHeaderImage } from './profiles/remove-header-image.ts'
import { saveBasePayoutAddress, savePayoutAddress } from './profiles/save-payout-address.ts'
import { updateProfile } from './profiles/update-profile.ts'
import { mintTestUsdc } from './rails/base/mint-test-usdc.ts'
import { readBaseChain } from './rails/base/read-base-chain.ts'
import { moveAddress } from './rails/nano/custody/move-address.job.ts'
import { resumeAddresses } from './rails/nano/custody/resume-addresses.job.ts'
import { readNanoLedger } from './rails/nano/read-nano-ledger.ts'
import { sendFromNanoFaucet } from './rails/nano/send-from-nano-faucet.ts'
import { setRates } from './rails/set-rates.ts'
import type { Services } from './services.ts'
import { collectionFeed, creatorFeed, siteFeed } from './site/get-feed.ts'
import { getIcon, getOldIcon } from './site/get-icon.ts'
import { getLlmsText } from './site/get-llms-text.ts'
import { privateFeed } from './site/get-private-feed.ts'
import { getPushWorker } from './site/get-push-worker.ts'
import { getRobots } from './site/get-robots.ts'
import { getSiteFile } from './site/get-site-file.ts'
import { getSitemap, getSitemapIndex } from './site/get-sitemap.ts'
import {
  showAdmin,
  showEarnings,
  showEditor,
  showJoin,
  showLibrary,
  showNotifications,
  showReceipt,
  showSettings,
  showSignIn,
  showStudio,
} from './site/show-app-pages.ts'
import { showCatalog } from './site/show-catalog.ts'
import { showCollection, showTag } from './site/show-collection.ts'
import { showCreator } from './site/show-creator.ts'
import { showLeaderboard } from './site/show-leaderboard.ts'
import { getPostMarkdown, showPost } from './site/show-post.ts'
import { siteLook } from './site/site-look.ts'
import { endSiteSession, getSiteSession, startSiteSession } from './site/site-session.ts'
import { associateUpload } from './uploads/associate-upload.ts'
import { cancelUpload } from './uploads/cancel-upload.ts'
import { cleanUpUpload } from './uploads/clean-up-upload.job.ts'
import { clearHold } from './uploads/clear-hold.ts'
import { completeAttachment } from './uploads/complete-attachment.ts'
import { downloadAttachment } from './uploads/download-attachment.ts'
import { editAttachment } from './uploads/edit-attachment.ts'
import { expireUploads } from './uploads/expire-uploads.job.ts'
import { getMedia } from './uploads/get-media.ts'
import { getUploadOperation } from './uploads/get-upload-operation.ts'
import { listAttachments } from './uploads/list-attachments.ts'
import { listHolds } from './uploads/list-holds.ts'
import { listPublicAttachments } from './uploads/list-public-attachments.ts'
import { listUploadOperations } from './uploads/list-upload-operations.ts'
import { lookUpAttachment } from './uploads/look-up-attachment.ts'
import { notifyAdministrators } from './uploads/notify-administrators.job.ts'
import { placeHold } from './uploads/place-hold.ts'
import { reconcileUploads } from './uploads/reconcile-uploads.job.ts'
import { removeAttachment } from './uploads/remove-attachment.ts'
import { reserveAttachment } from './uploads/reserve-attachment.ts'
import { screenUpload } from './uploads/screen-upload.job.ts'
import { storeAttachmentPart } from './uploads/store-attachment-part.ts'
import { transportAttachment } from './uploads/transport-attachment.ts'
import { uploadAttachment } from './uploads/upload-attachment.ts'
import { uploadPostImage } from './uploads/upload-post-image.ts'
import { uploadAvatar, uploadHeader } from './uploads/upload-profile-image.ts'

/** Every operation of the API and its handler. */
const handlers: Handlers<typeof contract, Services> = {
  startRegistration,
  verifyRegistration,
  issueRegistrationKey,
  logIn,
  verifyLogin,
  refreshSession,
  logOut,
  listSessions,
  revokeSession,
  getSigningKeys,
  listKeys,
  issueKey,
  revokeKey,
  rotateKey,
  startNanoChallenge,
  verifyNanoChallenge,
  answerNanoChallenge,
  getNanoChallenge,
  startNanoTransfer,
  getNanoTransfer,
  claimNanoTransfer,
  startSiwxChallenge,
  verifySiwxChallenge,
  listWallets,
  linkWallet,
  unlinkWallet,
  getAccountEmail,
  changeAccountEmail,
  removeAccountEmail,
  resendAccountEmail,
  verifyAccountEmail,
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
  createPost,
  listPosts,
  getPost,
  updatePost,
  deletePost,
  publishPost,
  withdrawPost,
  previewMarkdown,
  listTags,
  listCategories,
  barPost,
  restorePost,
  uploadPostImage,
  uploadAvatar,
  uploadHeader,
  listUploadOperations,
  getUploadOperation,
  associateUpload,
  cancelUpload,
  getMedia,
  listAttachments,
  reserveAttachment,
  lookUpAttachment,
  transportAttachment,
  completeAttachment,
  editAttachment,
  removeAttachment,
  downloadAttachment,
  uploadAttachment,
  storeAttachmentPart,
  listPublicAttachments,
  listPublicPosts,
  getPublicPost,
  listTagPosts,
  listRelatedPosts,
  listPaidPosts,
  getX402Manifest,
  getX402ManifestFile: getX402Manifest,
  getLeaderboard,
  getAccess,
  getAsset,
  getDidDocument,
  tipThroughX402,
  createCheckout,
  settleCheckout,
  getCheckout,
  recoverCheckout,
  claimCheckout,
  listLibrary,
  getGiftLink,
  createGiftLink,
  disableGiftLink,
  getPrivateFeed,
  createPrivateFeed,
  revokePrivateFeed,
  createPurchase,
  listPurchases,
  getPurchase,
  claimPurchase,
  cancelPurchase,
  tipPost,
  tipComment,
  tipCommentOfPost,
  getTip,
  bindPayout,
  listTransactions,
  exportTransactions,
  listEarnings,
  getEarningsReport,
  listPayouts,
  listObligations,
  retryObligation,
  settleObligation,
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
  listTipActivities,
  listCommentSupporters,
  reportPost,
  reportComment,
  listReports,
  decideReport,
  listNotifications,
  markNotificationsRead,
  markContextRead,
  markAllRead,
  getNotificationPreferences,
  updateNotificationPreferences,
  getPostMute,
  updatePostMute,
  getPushKey,
  addPushSubscription,
  removePushSubscription,
  listAccounts,
  suspendAccount,
  restoreAccount,
  removeAgentLabel,
  listHolds,
  placeHold,
  clearHold,
  listDeadJobs,
  retryDeadJob,
  dismissDeadJob,
  listAuditEntries,
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi: answerOpenApi(contract),
}

/** The pages, feeds and files of the site. */
const siteHandlers: Handlers<typeof siteContract, Services> = {
  showCatalog,
  showPost,
  getPostMarkdown,
  showCreator,
  showCollection,
  showTag,
  showLeaderboard,
  showLibrary,
  showReceipt,
  showSignIn,
  showJoin,
  showNotifications,
  showSettings,
  showStudio,
  showEditor,
  showEarnings,
  showAdmin,
  getSiteFile,
  getPushWorker,
  startSiteSession,
  getSiteSession,
  endSiteSession,
  getSiteRss: siteFeed('feed.xml'),
  getSiteAtom: siteFeed('atom.xml'),
  getSiteJsonFeed: siteFeed('feed.json'),
  getCreatorRss: creatorFeed('feed.xml'),
  getCreatorAtom: creatorFeed('atom.xml'),
  getCreatorJsonFeed: creatorFeed('feed.json'),
  getCollectionRss: collectionFeed('feed.xml'),
  getCollectionAtom: collectionFeed('atom.xml'),
  getCollectionJsonFeed: collectionFeed('feed.json'),
  getPrivateRss: privateFeed('feed.xml'),
  getPrivateAtom: privateFeed('atom.xml'),
  getPrivateJsonFeed: privateFeed('feed.json'),
  getSitemapIndex,
  getSitemap,
  getIcon,
  getOldIcon,
  getRobots,
  getLlmsText,
  showEmailConfirmation,
  confirmEmailByLink,
  showUnsubscribe,
  unsubscribe,
  getDocs: answerDocs(contract),
  getProblem: answerProblem(contract, siteContract),
}

const developmentHandlers: Handlers<typeof developmentContract, Services> = {
  readCapturedMail,
  readClock,
  moveClock,
  setRates,
  mintTestUsdc,
  readBaseChain,
  readNanoLedger,
  sendFromNanoFaucet,
  makeAdministrator,
}

/** Every job. */
export const jobs: readonly AnyJob<Services>[] = [
  sendRegistrationCode,
  sendLoginCode,
  sendEmailChange,
  sendChangeNotice,
  forgetExpired,
  indexStalePosts,
  forgetReaders,
  notifyOfMoney,
  tellOfNewComment,
  withdrawNews,
  sendNotificationMail,
  sendPush,
  settleReadNotifications,
  tellFollowers,
  writeSummaries,
  forgetDeliveries,
  screenUpload,
  cleanUpUpload,
  expireUploads,
  reconcileUploads,
  settlePayment,
  forgetNonces,
  forgetCheckouts,
  forgetGuests,
  notifyAdministrators,
  moveAddress,
  resumeAddresses,
  closeOrder,
  closeForgottenOrders,
]

/** A worker answers operators, and nobody else. */
const workerAnswers = new Set<string>(['getHealth', 'getReadiness', 'getMetrics'])

export interface AppSettings {
  readonly temporaryFolder: string
  readonly checkReplies: boolean
  readonly onBug: (operation: string, cause: unknown) => void
  readonly onRefusal?: (operation: string, code: string) => void
}

/** The service as an HTTP server, not yet listening. */
export function createApp(services: Services, settings: AppSettings): Promise<FastifyInstance> {
  const { config, rateLimiter, clock, origins, log, metrics } = services
  const offered = [
    ...bind(contract, handlers, services),
    ...bind(siteContract, siteHandlers, services),
    ...(config.environment === 'development' ? bind(developmentContract, developmentHandlers, services) : []),
  ]
  const operations = offered.filter(({ name }) => config.role !== 'worker' || workerAnswers.has(name))
  return createServer({
    ...settings,
    operations,
    authenticators: authenticators(services),
    rateLimiter,
    clock,
    origins,
    log,
    pageLayout: siteLook(),
    finalizerFor: createResponseFinalizer(log, metrics.requestLatency),
    trustProxy: config.trustProxy,
  })
}
