import { verifySiwxChallenge } from '@pennypost/contract/siwx-logins'
import { claimNanoTransfer, getNanoTransfer } from '@pennypost/contract/transfer-logins'
import { getNanoChallenge, verifyNanoChallenge } from '@pennypost/contract/wallet-logins'
import { callApi, callApiWithToken } from '../call-api.ts'
import { signIn } from '../session.ts'
import { isClaimed } from './is-claimed.ts'
import type { ProofHandler } from './proof-handler.ts'

/** Signs in with a proven wallet. */
export const signInHandler: ProofHandler = {
  async signed(body) {
    await signIn(await callApi(verifySiwxChallenge, { body }))
  },
  async signedNano(body) {
    await signIn(await callApi(verifyNanoChallenge, { body }))
  },
  async answered({ challengeId, pollSecret }) {
    const reply = await callApiWithToken(pollSecret, getNanoChallenge, { params: { challengeId } })
    const { status, accessToken, refreshToken } = reply
    if (accessToken === undefined || refreshToken === undefined) return isClaimed(status)
    await signIn({ accessToken, refreshToken })
    return true
  },
  async paid({ transferId, loginSecret }) {
    const params = { transferId }
    const { status } = await callApi(getNanoTransfer, { params })
    if (status !== 'received') return isClaimed(status)
    const claimed = await callApi(claimNanoTransfer, { params, body: { loginSecret } })
    if ('status' in claimed) return false
    await signIn(claimed)
    return true
  },
}
