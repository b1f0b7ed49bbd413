import type { Visit } from '@pennypost/contract/endpoint'
import { challengeNotFound, type getNanoChallenge as declared } from '@pennypost/contract/wallet-logins'
import { refuse } from '../../platform/http/refuse.ts'
import type { AccountServices, Handler } from '../services.ts'
import { type Challenge, findChallenge, moveChallenge } from './challenge-store.ts'
import { signInWithWallet, walletSessionView } from './sign-in-with-wallet.ts'

export const getNanoChallenge: Handler<typeof declared> = async (services, { caller, params, visit }) => {
  // The secret belongs to another challenge.
  if (caller.challengeId !== params.challengeId) refuse(challengeNotFound)
  const challenge = (await findChallenge(services.db, params.challengeId)) ?? refuse(challengeNotFound)
  return { status: 200, body: { challengeId: challenge.id, ...(await outcome(services, challenge, visit)) } }
}

async function outcome(services: AccountServices, challenge: Challenge, visit: Visit) {
  if (challenge.state === 'spent') return { status: 'claimed' as const }
  if (challenge.expires_at <= services.clock.now()) return { status: 'expired' as const }
  if (challenge.state === 'open') return { status: 'pending' as const }
  return challenge.purpose === 'sign_in' ? claim(services, challenge, visit) : { status: 'signed' as const }
}

async function claim({ db, clock, tokens, site }: AccountServices, { id, kind, address }: Challenge, visit: Visit) {
  const now = clock.now()
  const signIn = await db
    .transaction()
    .execute(async (tx) =>
      (await moveChallenge(tx, id, 'claim', now))
        ? signInWithWallet(tx, { kind, address }, site.settings().registration, visit, now)
        : undefined,
    )
  if (!signIn) return { status: 'claimed' as const }
  return { status: 'signed' as const, ...(await walletSessionView(tokens, signIn)) }
}
