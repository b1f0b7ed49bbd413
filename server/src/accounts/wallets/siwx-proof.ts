import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { refuse } from '../../platform/http/refuse.ts'
import type { SignedMessage } from '../../rails/base/siwx/wallet-signature.ts'
import type { AccountServices } from '../services.ts'
import { type Challenge, findChallenge } from './challenge-store.ts'
import { siwxTextOf } from './siwx-challenge.ts'

/**
 * The challenge that this signature answers, if it is for this purpose and the wallet signed it. It is not spent yet:
 * that is for the transaction that gives what it proves.
 */
export async function findProvedSiwxChallenge(
  services: Pick<AccountServices, 'db' | 'clock' | 'origins' | 'base'>,
  { challengeId, signature }: { readonly challengeId: string; readonly signature: string },
  linkTo: string | null,
): Promise<Challenge | undefined> {
  const { db, clock, origins } = services
  const challenge = await findChallenge(db, challengeId)
  if (challenge?.kind !== 'evm' || challenge.state !== 'open') return undefined
  if (challenge.account_id !== linkTo || challenge.expires_at <= clock.now()) return undefined
  const signed = { address: challenge.address, message: siwxTextOf(origins, challenge), signature }
  return (await hasWalletSigned(services, signed)) ? challenge : undefined
}

/** By its key, or as a smart wallet that says so; without a chain only keys can be told. */
export async function hasWalletSigned(
  { base }: Pick<AccountServices, 'base'>,
  signed: SignedMessage,
): Promise<boolean> {
  // Loaded when somebody signs in: it brings one of our largest libraries.
  const verify = base?.verifyMessage ?? (await import('../../rails/base/siwx/wallet-signature.ts')).verifyWalletMessage
  const verdict = await verify(signed, undefined)
  return verdict === 'unavailable' ? refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 2 }) : verdict === 'valid'
}
