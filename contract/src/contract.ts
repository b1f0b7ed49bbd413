import {
  changeAccountEmail,
  confirmEmailByLink,
  getAccountEmail,
  resendAccountEmail,
  showEmailConfirmation,
  verifyAccountEmail,
} from './account-email.ts'
import { moveClock, readCapturedMail, readClock, readNanoLedger, sendFromNanoFaucet, setRates } from './dev.ts'
import { getPublicPost, listTagPosts } from './discovery.ts'
import { issueKey, listKeys, revokeKey, rotateKey } from './keys.ts'
import { getMe } from './me.ts'
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
import { issueRegistrationKey, startRegistration, verifyRegistration } from './registrations.ts'
import { getSigningKeys, logIn, logOut, refreshSession, verifyLogin } from './sessions.ts'

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
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
  getDocs,
  getProblem,
}

/** Operations that exist in development only. */
export const developmentContract = {
  readCapturedMail,
  readClock,
  moveClock,
  setRates,
  readNanoLedger,
  sendFromNanoFaucet,
}
