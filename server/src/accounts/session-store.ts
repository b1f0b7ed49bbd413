import { randomUUID } from 'node:crypto'
import type { Visit } from '@pennypost/contract/endpoint'
import type { Selectable } from 'kysely'
import type pg from 'pg'
import { type Db, readRows, type Statement, type Tx } from '../platform/database/database.ts'
import { accountJoins, type OwnerAccount, ownerAccountColumns } from './caller-account.ts'
import { deviceName } from './device-name.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    sessions: SessionTable
  }
}

interface SessionTable {
  id: string
  account_id: string
  kind: 'email' | 'wallet'
  generation: number
  created_at: Date
  rotated_at: Date
  expires_at: Date
  ended_at: Date | null
  ended_by: 'logout' | 'replay' | null
  /** Null for a session that an older version started. */
  device: string | null
  last_used_at: Date | null
}

export type Session = Selectable<SessionTable>

/** The contents of a refresh token: its session and the generation within it. */
export interface RefreshClaims {
  readonly sessionId: string
  readonly generation: number
}

const retryWindowMs = 10_000
const lastUsedPrecisionMs = 10 * 60_000
const dayMs = 86_400_000
// A wallet session ends 30 days after it started. An email session ends after 90 days without a refresh.
const walletLifeMs = 30 * dayMs
const emailIdleMs = 90 * dayMs

/** Starts a session on the device that the client says it is. */
export async function startSession(
  tx: Tx,
  accountId: string,
  kind: Session['kind'],
  { userAgent }: Pick<Visit, 'userAgent'>,
  now: Date,
): Promise<Session> {
  const session: Session = {
    id: randomUUID(),
    account_id: accountId,
    kind,
    generation: 1,
    created_at: now,
    rotated_at: now,
    expires_at: new Date(now.getTime() + (kind === 'wallet' ? walletLifeMs : emailIdleMs)),
    ended_at: null,
    ended_by: null,
    device: deviceName(userAgent),
    last_used_at: now,
  }
  await tx.insertInto('sessions').values(session).execute()
  return session
}

/** A live session that began after `since` and was never refreshed: its first tokens are still good. */
export const findUnusedSession = (db: Db, accountId: string, since: Date, now: Date): Promise<Session | undefined> =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('generation', '=', 1)
    .where('created_at', '>', since)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()

/**
 * Rotates a session: each refresh starts a new generation of tokens. For 10 seconds the previous refresh token still
 * returns the current generation, so a client can retry after a lost response. Any other old token was stolen or
 * replayed, and ends the session. Sessions of a suspended account do not end, but cannot be refreshed until it is
 * restored. Returns undefined if the refresh is refused: the caller must refuse after the commit, or the end of the
 * session would be rolled back.
 */
export async function rotateSession(tx: Tx, presented: RefreshClaims, now: Date): Promise<Session | undefined> {
  const session = await tx
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', presented.sessionId)
    .where('account_id', 'in', ({ selectFrom }) =>
      selectFrom('accounts').select('id').where('suspended_at', 'is', null),
    )
    .forUpdate()
    .executeTakeFirst()
  if (!session || session.ended_at || session.expires_at <= now) return undefined
  if (presented.generation === session.generation) {
    return tx
      .updateTable('sessions')
      .set({
        generation: session.generation + 1,
        rotated_at: now,
        ...(session.kind === 'email' && { expires_at: new Date(now.getTime() + emailIdleMs) }),
      })
      .where('id', '=', session.id)
      .returningAll()
      .executeTakeFirstOrThrow()
  }
  const isRetry =
    presented.generation === session.generation - 1 && now.getTime() - session.rotated_at.getTime() <= retryWindowMs
  if (isRetry) return session
  await endSession(tx, session.id, 'replay', now)
  return undefined
}

export async function endSession(tx: Tx, id: string, by: 'logout' | 'replay', now: Date): Promise<Session | undefined> {
  return tx
    .updateTable('sessions')
    .set({ ended_at: now, ended_by: by })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Ends every session of an account but one. Returns how many. */
export async function endOtherSessions(tx: Tx, accountId: string, keptId: string, now: Date): Promise<number> {
  const ended = await tx
    .updateTable('sessions')
    .set({ ended_at: now, ended_by: 'logout' })
    .where('account_id', '=', accountId)
    .where('id', '<>', keptId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return Number(ended.numUpdatedRows)
}

const maxListed = 100

/** Lists the live sessions of an account, most recently refreshed first. */
export const listLiveSessions = (db: Db, accountId: string, now: Date): Promise<Session[]> =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('rotated_at', 'desc')
    .orderBy('id')
    .limit(maxListed)
    .execute()

export const findOwnSession = (tx: Tx, accountId: string, id: string): Promise<{ id: string } | undefined> =>
  tx.selectFrom('sessions').select('id').where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst()

interface LiveSession extends OwnerAccount {
  readonly last_used_at: Date | null
}

export const liveSession: Statement<LiveSession> = {
  name: 'live-session',
  text: `SELECT ${ownerAccountColumns}, session.last_used_at
    FROM sessions session JOIN accounts a ON a.id = session.account_id ${accountJoins}
    WHERE session.id = $1 AND session.ended_at IS NULL AND session.expires_at > $2 AND a.suspended_at IS NULL`,
}

/** Returns the account of a session, if the session is live. An unexpired access token alone is not enough. */
export async function findLiveSession(pool: pg.Pool, id: string, now: Date): Promise<OwnerAccount | undefined> {
  const [row] = await readRows(pool, liveSession, [id, now.toISOString()])
  if (!row) return undefined
  const { last_used_at, ...account } = row
  // Updated at most every ten minutes, so that most requests need no write.
  if (!last_used_at || now.getTime() - last_used_at.getTime() > lastUsedPrecisionMs) {
    await pool.query('UPDATE sessions SET last_used_at = $2 WHERE id = $1', [id, now])
  }
  return account
}
