import { type verifyNanoChallenge as declared, invalidProof } from '@pennypost/contract/wallet-logins'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { moveChallenge, toSignIn } from './challenge-store.ts'
import { findProvedChallenge } from './nano-proof.ts'
import { signInWithWallet, walletSessionView } from './sign-in-with-wallet.ts'

export const verifyNanoChallenge: Handler<typeof declared> = async ({ db, clock, tokens, site }, { body, visit }) => {
  const { id, kind, address } = (await findProvedChallenge({ db, clock }, body, toSignIn)) ?? refuse(invalidProof)
  const now = clock.now()
  const signIn = await db.transaction().execute(async (tx) => {
    if (!(await moveChallenge(tx, id, 'spend', now))) refuse(invalidProof)
    return signInWithWallet(tx, { kind, address }, site.settings().registration, visit, now)
  })
  return { status: 200, body: await walletSessionView(tokens, signIn) }
}
