import { validation } from '@pennypost/contract/errors'
import { type verifySiwxChallenge as declared, signInMalformed } from '@pennypost/contract/siwx-logins'
import { invalidProof } from '@pennypost/contract/wallet-logins'
import { refuse } from '../../platform/http/refuse.ts'
import { readSiwxHeader, siwxMessage } from '../../rails/base/siwx/siwx-message.ts'
import type { AccountServices, Handler } from '../services.ts'
import { findChallenge, moveChallenge, toSignIn } from './challenge-store.ts'
import { signInWithWallet, walletSessionView } from './sign-in-with-wallet.ts'
import { challengeIdIn, siwxTextOf } from './siwx-challenge.ts'
import { findProvedSiwxChallenge } from './siwx-proof.ts'

export const verifySiwxChallenge: Handler<typeof declared> = async (services, { headers, body, visit }) => {
  const { db, clock, tokens, site } = services
  const header = headers['sign-in-with-x']
  const { challengeId = refuseMissing('challengeId'), signature = refuseMissing('signature') } =
    (header === undefined ? body : await proofIn(services, header)) ?? {}
  const { id, kind, address } =
    (await findProvedSiwxChallenge(services, { challengeId, signature }, toSignIn)) ?? refuse(invalidProof)
  const now = clock.now()
  const signIn = await db.transaction().execute(async (tx) => {
    if (!(await moveChallenge(tx, id, 'spend', now))) refuse(invalidProof)
    return signInWithWallet(tx, { kind, address }, site.settings().registration, visit, now)
  })
  return { status: 200, body: await walletSessionView(tokens, signIn) }
}

/** Reads the proof from the header. The message in it must be exactly our own challenge. */
async function proofIn({ db, origins }: AccountServices, header: string) {
  const given = readSiwxHeader(header) ?? refuse(signInMalformed)
  const challengeId = challengeIdIn(given.nonce)
  const challenge = /-/.test(challengeId) ? await findChallenge(db, challengeId) : undefined
  if (!challenge || siwxMessage(given, given.address) !== siwxTextOf(origins, challenge)) return refuse(invalidProof)
  return { challengeId, signature: given.signature }
}

const refuseMissing = (field: string): never =>
  refuse(validation, { errors: [{ field, code: 'required', message: 'is required' }] })
