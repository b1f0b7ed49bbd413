import { randomUUID } from 'node:crypto'
import type { ConfirmedAction } from '@pennypost/contract/wallet-logins'
import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { type ChallengeState, challengeMoves } from './challenge-state.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    wallet_challenges: ChallengeTable
  }
}

interface ChallengeTable {
  id: string
  kind: 'nano' | 'evm'
  address: string
  service: string
  purpose: WalletPurpose
  account_id: string | null
  state: ChallengeState
  created_at: Date
  expires_at: Date
}

/** The purposes of a wallet's proof. */
export type WalletPurpose = 'sign_in' | 'link' | ConfirmedAction

/** What a proof is for. Only a sign-in has no account. */
export interface ProofUse {
  readonly purpose: WalletPurpose
  readonly accountId: string | null
}

export const toSignIn: ProofUse = { purpose: 'sign_in', accountId: null }

export const isFor = (
  proof: { readonly purpose: WalletPurpose; readonly account_id: string | null },
  { purpose, accountId }: ProofUse,
): boolean => proof.purpose === purpose && proof.account_id === accountId

export type Challenge = Selectable<ChallengeTable>

const challengeLifeMs = 5 * 60_000

export interface NewChallenge extends Pick<Challenge, 'kind' | 'address' | 'service'> {
  readonly use: ProofUse
}

export async function addChallenge(
  db: Db | Tx,
  { kind, address, service, use }: NewChallenge,
  now: Date,
): Promise<Challenge> {
  const challenge: Challenge = {
    id: randomUUID(),
    kind,
    address,
    service,
    purpose: use.purpose,
    account_id: use.accountId,
    state: 'open',
    created_at: now,
    expires_at: new Date(now.getTime() + challengeLifeMs),
  }
  await db.insertInto('wallet_challenges').values(challenge).execute()
  return challenge
}

export const findChallenge = (db: Db | Tx, id: string): Promise<Challenge | undefined> =>
  db.selectFrom('wallet_challenges').selectAll().where('id', '=', id).executeTakeFirst()

/** Changes the state. Returns undefined if the challenge has expired or another request was first. */
export function moveChallenge(
  db: Db | Tx,
  id: string,
  move: keyof typeof challengeMoves,
  now: Date,
): Promise<Challenge | undefined> {
  const { from, to } = challengeMoves[move]
  return db
    .updateTable('wallet_challenges')
    .set({ state: to })
    .where('id', '=', id)
    .where('state', 'in', from)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}
