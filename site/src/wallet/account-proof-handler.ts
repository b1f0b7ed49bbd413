import type { ClientInput } from '@pennypost/contract/endpoint'
import { getNanoTransfer } from '@pennypost/contract/transfer-logins'
import { getNanoChallenge } from '@pennypost/contract/wallet-logins'
import type { linkWallet } from '@pennypost/contract/wallets'
import { callApi, callApiWithToken } from '../call-api.ts'
import { isClaimed } from './is-claimed.ts'
import type { ProofHandler } from './proof-handler.ts'

export type WalletProof = ClientInput<typeof linkWallet>['body']

/** Sends any proof of a wallet to an operation of the account. `send` returns false while a payment has not arrived. */
export const accountProofHandler = (send: (proof: WalletProof) => Promise<boolean>): ProofHandler => ({
  signed: send,
  signedNano: send,
  async answered({ challengeId, pollSecret }) {
    const { status } = await callApiWithToken(pollSecret, getNanoChallenge, { params: { challengeId } })
    return status === 'signed' ? send({ challengeId, pollSecret }) : isClaimed(status)
  },
  async paid({ transferId, loginSecret }) {
    const { status } = await callApi(getNanoTransfer, { params: { transferId } })
    return status === 'received' ? send({ transferId, loginSecret }) : isClaimed(status)
  },
})
