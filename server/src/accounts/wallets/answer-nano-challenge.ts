import {
  challengeNotFound,
  type answerNanoChallenge as declared,
  invalidProof,
} from '@pennypost/contract/wallet-logins'
import { hasSignedText } from '@pennypost/nano/message'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findChallenge, moveChallenge } from './challenge-store.ts'
import { verifiedLinkText } from './challenge-text.ts'
import { requireNanoAddress } from './normalize-nano-address.ts'

/** Accepts the signature that a wallet posts. The session goes to the client that started the challenge. */
export const answerNanoChallenge: Handler<typeof declared> = async ({ db, clock }, { params, body }) => {
  const address = requireNanoAddress(body.account)
  const challenge = (await findChallenge(db, params.challengeId)) ?? refuse(challengeNotFound)
  const text = challenge.kind === 'nano' ? verifiedLinkText(challenge, body.formatted) : undefined
  const isProof = challenge.address === address && text !== undefined && hasSignedText(address, text, body.signature)
  if (!isProof || !(await moveChallenge(db, challenge.id, 'sign', clock.now()))) refuse(invalidProof)
  return { status: 200, body: { status: 0 } }
}
