import type { Call } from '@pennypost/contract/endpoint'
import { invalidProof } from '@pennypost/contract/wallet-logins'
import type { linkWallet } from '@pennypost/contract/wallets'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { AccountServices } from '../services.ts'
import { type Challenge, findChallenge, isFor, moveChallenge, type ProofUse } from './challenge-store.ts'
import { findProvedChallenge } from './nano-proof.ts'
import { findProvedSiwxChallenge } from './siwx-proof.ts'
import { readTransferProof, spendTransfer } from './transfer-proof.ts'
import { pollSecret } from './wallet-login-secrets.ts'
import type { WalletAddress } from './wallet-store.ts'

export type GivenProof = Call<typeof linkWallet>['body']

/** A proven wallet. `spend` uses the proof up, and refuses if another request has already done so. */
export interface WalletProof {
  readonly wallet: WalletAddress
  spend(tx: Tx, now: Date): Promise<void>
}

/** Reads a proof that an account started for this use. Undefined if its payment has not arrived yet. */
export async function readWalletProof(
  services: AccountServices,
  given: GivenProof,
  use: ProofUse,
): Promise<WalletProof | undefined> {
  if (!('transferId' in given)) return challengeProof(await challengeIn(services, given, use))
  const wallet = await readTransferProof(services, given, use)
  return wallet && { wallet, spend: (tx, now) => spendTransfer(tx, given.transferId, now) }
}

function challengeIn(
  services: AccountServices,
  given: Exclude<GivenProof, { transferId: string }>,
  use: ProofUse,
): Promise<Challenge | undefined> {
  if ('account' in given) return findProvedChallenge(services, given, use)
  if ('signature' in given) return findProvedSiwxChallenge(services, given, use)
  return findAnsweredChallenge(services, given, use)
}

function challengeProof(challenge: Challenge | undefined): WalletProof {
  const { id, kind, address, state } = challenge ?? refuse(invalidProof)
  return {
    wallet: { kind, address },
    async spend(tx, now) {
      if (!(await moveChallenge(tx, id, state === 'open' ? 'spend' : 'claim', now))) refuse(invalidProof)
    },
  }
}

/** Finds a challenge that a wallet has signed, if this account started it and the caller has its poll secret. */
async function findAnsweredChallenge(
  { db, secrets }: AccountServices,
  given: { challengeId: string; pollSecret: string },
  use: ProofUse,
): Promise<Challenge | undefined> {
  if (pollSecret.readId(secrets, given.pollSecret) !== given.challengeId) return undefined
  const challenge = await findChallenge(db, given.challengeId)
  return challenge?.state === 'signed' && isFor(challenge, use) ? challenge : undefined
}
