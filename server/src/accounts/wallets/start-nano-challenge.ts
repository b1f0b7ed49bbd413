import type { startNanoChallenge as declared } from '@pennypost/contract/wallet-logins'
import type { Handler } from '../services.ts'
import { addChallenge } from './challenge-store.ts'
import { challengeMessage, challengeUri } from './challenge-text.ts'
import { requireNanoAddress } from './normalize-nano-address.ts'
import { proofUseOf } from './proof-use.ts'
import { pollSecret } from './wallet-login-secrets.ts'

export const startNanoChallenge: Handler<typeof declared> = async (
  { db, clock, secrets },
  { caller, body, origin },
) => {
  const challenge = await addChallenge(
    db,
    {
      kind: 'nano',
      address: requireNanoAddress(body.account),
      service: new URL(origin).host,
      use: proofUseOf(caller, body.confirms),
    },
    clock.now(),
  )
  const statusUrl = `${origin}/api/v1/auth/nano/challenges/${challenge.id}`
  return {
    status: 201,
    body: {
      challengeId: challenge.id,
      message: challengeMessage(challenge),
      uri: challengeUri(challenge, `${statusUrl}/wallet`),
      statusUrl,
      pollSecret: pollSecret.of(secrets, challenge.id),
      expiresAt: challenge.expires_at.toISOString(),
    },
  }
}
