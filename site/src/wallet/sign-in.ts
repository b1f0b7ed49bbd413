import { verifySiwxChallenge } from '@pennypost/contract/siwx-logins'
import { claimNanoTransfer, getNanoTransfer } from '@pennypost/contract/transfer-logins'
import { getNanoChallenge, verifyNanoChallenge } from '@pennypost/contract/wallet-logins'
import { ask, askWith } from '../api.ts'
import { signIn } from '../session.ts'
import { isOver } from './is-over.ts'
import type { Taker } from './prove-wallet.ts'

/** Whoever proves a wallet is signed in with it. */
export const signingIn: Taker = {
  async signed(body) {
    await signIn(await ask(verifySiwxChallenge, { body }))
  },
  async signedNano(body) {
    await signIn(await ask(verifyNanoChallenge, { body }))
  },
  async answered({ challengeId, pollSecret }) {
    const reply = await askWith(pollSecret, getNanoChallenge, { params: { challengeId } })
    const { status, accessToken, refreshToken } = reply
    if (accessToken === undefined || refreshToken === undefined) return isOver(status)
    await signIn({ accessToken, refreshToken })
    return true
  },
  async paid({ transferId, loginSecret }) {
    const params = { transferId }
    const { status } = await ask(getNanoTransfer, { params })
    if (status !== 'received') return isOver(status)
    const claimed = await ask(claimNanoTransfer, { params, body: { loginSecret } })
    if ('status' in claimed) return false
    await signIn(claimed)
    return true
  },
}
