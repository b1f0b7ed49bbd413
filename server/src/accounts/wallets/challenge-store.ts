import { randomUUID } from 'node:crypto'
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
  purpose: 'sign_in' | 'link'
  account_id: string | null
  state: ChallengeState
  created_at: Date
  expires_at: Date
}

export type Challenge = Selectable<ChallengeTable>

const challengeLifeMs = 5 * 60_000

export interface NewChallenge extends Pick<Challenge, 'kind' | 'address' | 'service'> {
  /** The account to link the wallet to. Null to sign in. */
  readonly linkTo: string | null
}

export async function addChallenge(
  db: Db | Tx,
  { kind, address, service, linkTo }: NewChallenge,
  now: Date,
): Promise<Challenge> {
  const challenge: Challenge = {
    id: randomUUID(),
    kind,
    address,
    service,
    purpose: linkTo === null ? 'sign_in' : 'link',
    account_id: linkTo,
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
