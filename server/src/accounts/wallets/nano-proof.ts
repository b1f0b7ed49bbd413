import type { NanoProof } from '@pennypost/contract/wallet-logins'
import { hasSignedMessage } from '@pennypost/nano/message'
import type { z } from 'zod'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'
import { type Challenge, findChallenge, isFor, type ProofUse } from './challenge-store.ts'
import { challengeMessage } from './challenge-text.ts'
import { requireNanoAddress } from './normalize-nano-address.ts'

export interface ProofNeeds {
  readonly db: Db
  readonly clock: Clock
}

/**
 * Finds the challenge of this proof, if it has the right purpose and the account signed it. Returns undefined in every
 * other case. Does not spend the challenge: the transaction that signs in or links the wallet does.
 */
export async function findProvedChallenge(
  { db, clock }: ProofNeeds,
  { challengeId, account, signature }: z.output<typeof NanoProof>,
  use: ProofUse,
): Promise<Challenge | undefined> {
  const address = requireNanoAddress(account)
  const challenge = await findChallenge(db, challengeId)
  if (challenge?.kind !== 'nano' || challenge.state !== 'open') return undefined
  if (challenge.address !== address || !isFor(challenge, use) || challenge.expires_at <= clock.now()) {
    return undefined
  }
  return hasSignedMessage(address, challengeMessage(challenge), signature) ? challenge : undefined
}
