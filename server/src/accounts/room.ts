import type { accountOperations, accountPages } from '@pennypost/contract/account-operations'
import type { Room } from '../platform/room.ts'
import { changeAccountEmail, resendAccountEmail } from './change-account-email.ts'
import { continueWithEmail } from './continue-with-email.ts'
import { deleteEmptyGuests } from './delete-empty-guests.job.ts'
import { deleteExpired } from './delete-expired.job.ts'
import { confirmEmailByLink, showEmailConfirmation } from './email-confirmation-page.ts'
import { getAccountEmail } from './get-account-email.ts'
import { getSigningKeys } from './get-signing-keys.ts'
import { issueKey } from './issue-key.ts'
import { issueRegistrationKey } from './issue-registration-key.ts'
import { listKeys } from './list-keys.ts'
import { listSessions } from './list-sessions.ts'
import { logIn } from './log-in.ts'
import { logOut } from './log-out.ts'
import { refreshSession } from './refresh-session.ts'
import { removeAccountEmail } from './remove-account-email.ts'
import { requestConfirmation } from './request-confirmation.ts'
import { revokeKey } from './revoke-key.ts'
import { revokeOtherSessions } from './revoke-other-sessions.ts'
import { revokeSession } from './revoke-session.ts'
import { rotateKey } from './rotate-key.ts'
import { sendChangeNotice } from './send-change-notice.job.ts'
import { sendConfirmationCode } from './send-confirmation-code.job.ts'
import { sendContinuationCode } from './send-continuation-code.job.ts'
import { sendEmailChange } from './send-email-change.job.ts'
import { sendLoginCode } from './send-login-code.job.ts'
import { sendRegistrationCode } from './send-registration-code.job.ts'
import type { AccountServices } from './services.ts'
import { startRegistration } from './start-registration.ts'
import { verifyAccountEmail } from './verify-account-email.ts'
import { verifyContinuation } from './verify-continuation.ts'
import { verifyLogin } from './verify-login.ts'
import { verifyRegistration } from './verify-registration.ts'
import { answerNanoChallenge } from './wallets/answer-nano-challenge.ts'
import { claimNanoTransfer } from './wallets/claim-nano-transfer.ts'
import { getNanoChallenge } from './wallets/get-nano-challenge.ts'
import { getNanoTransfer } from './wallets/get-nano-transfer.ts'
import { linkWallet } from './wallets/link-wallet.ts'
import { listWallets } from './wallets/list-wallets.ts'
import { startNanoChallenge } from './wallets/start-nano-challenge.ts'
import { startNanoTransfer } from './wallets/start-nano-transfer.ts'
import { startSiwxChallenge } from './wallets/start-siwx-challenge.ts'
import { unlinkWallet } from './wallets/unlink-wallet.ts'
import { verifyNanoChallenge } from './wallets/verify-nano-challenge.ts'
import { verifySiwxChallenge } from './wallets/verify-siwx-challenge.ts'

export const accountsRoom: Room<typeof accountOperations & typeof accountPages, AccountServices> = {
  handlers: {
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
    showEmailConfirmation,
    confirmEmailByLink,
  },
  jobs: [
    sendRegistrationCode,
    sendLoginCode,
    sendContinuationCode,
    sendConfirmationCode,
    sendEmailChange,
    sendChangeNotice,
    deleteExpired,
    deleteEmptyGuests,
  ],
}
