import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { refuse } from '../../platform/http/refuse.ts'
import type { SignedMessage } from '../../rails/base/siwx/wallet-signature.ts'
import type { AccountServices } from '../services.ts'
import { type Challenge, findChallenge, isFor, type ProofUse } from './challenge-store.ts'
import { siwxTextOf } from './siwx-challenge.ts'

/**
 * Finds the challenge of this signature, if it has the right purpose and the wallet signed it. Does not spend the
 * challenge: the transaction that signs in or links the wallet does.
 */
export async function findProvedSiwxChallenge(
  services: Pick<AccountServices, 'db' | 'clock' | 'origins' | 'base'>,
  { challengeId, signature }: { readonly challengeId: string; readonly signature: string },
  use: ProofUse,
): Promise<Challenge | undefined> {
  const { db, clock, origins } = services
  const challenge = await findChallenge(db, challengeId)
  if (challenge?.kind !== 'evm' || challenge.state !== 'open') return undefined
  if (!isFor(challenge, use) || challenge.expires_at <= clock.now()) return undefined
  const signed = { address: challenge.address, message: siwxTextOf(origins, challenge), signature }
  return (await hasWalletSigned(services, signed)) ? challenge : undefined
}

/** Checks a signature by a key or a smart wallet. Without a Base node only keys can be checked. */
export async function hasWalletSigned(
  { base }: Pick<AccountServices, 'base'>,
  signed: SignedMessage,
): Promise<boolean> {
  // Loaded at the first sign-in, because it imports one of our largest libraries.
  const verify = base?.verifyMessage ?? (await import('../../rails/base/siwx/wallet-signature.ts')).verifyWalletMessage
  const verdict = await verify(signed, undefined)
  return verdict === 'unavailable' ? refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 2 }) : verdict === 'valid'
}
