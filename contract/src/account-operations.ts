import {
  changeAccountEmail,
  confirmEmailByLink,
  getAccountEmail,
  removeAccountEmail,
  resendAccountEmail,
  showEmailConfirmation,
  verifyAccountEmail,
} from './account-email.ts'
import { requestConfirmation } from './confirmations.ts'
import { continueWithEmail, verifyContinuation } from './continuations.ts'
import { issueKey, listKeys, revokeKey, rotateKey } from './keys.ts'
import { issueRegistrationKey, startRegistration, verifyRegistration } from './registrations.ts'
import {
  getSigningKeys,
  listSessions,
  logIn,
  logOut,
  refreshSession,
  revokeOtherSessions,
  revokeSession,
  verifyLogin,
} from './sessions.ts'
import { startSiwxChallenge, verifySiwxChallenge } from './siwx-logins.ts'
import { claimNanoTransfer, getNanoTransfer, startNanoTransfer } from './transfer-logins.ts'
import { answerNanoChallenge, getNanoChallenge, startNanoChallenge, verifyNanoChallenge } from './wallet-logins.ts'
import { linkWallet, listWallets, unlinkWallet } from './wallets.ts'

/** Registration, sign-in, sessions, wallets, publishing keys and the account's email address. */
export const accountOperations = {
  startRegistration,
  verifyRegistration,
  issueRegistrationKey,
  logIn,
  verifyLogin,
  continueWithEmail,
  verifyContinuation,
  refreshSession,
  logOut,
  listSessions,
  revokeSession,
  revokeOtherSessions,
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
  requestConfirmation,
}

/** The page behind the link in a confirmation email. */
export const accountPages = {
  showEmailConfirmation,
  confirmEmailByLink,
}
