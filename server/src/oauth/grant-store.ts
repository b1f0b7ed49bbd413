import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { OAuthScope } from '@pennypost/contract/oauth-scopes'
import { type Selectable, sql } from 'kysely'
import type pg from 'pg'
import { accountJoins, type OwnerAccount, ownerAccountColumns } from '../accounts/caller-account.ts'
import { type Db, readRows, type Statement, type Tx } from '../platform/database/database.ts'
import type { Consent } from './consent.ts'
import type { RefreshClaims, Resource } from './grant-tokens.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    oauth_grants: OAuthGrantTable
  }
}

interface OAuthGrantTable {
  id: string
  account_id: string
  consent_id: string
  client_id: string
  client_name: string | null
  client_host: string | null
  redirect_uri: string
  scopes: OAuthScope[]
  resource: Resource
  code_hash: Buffer
  code_challenge: string
  generation: number
  created_at: Date
  rotated_at: Date
  expires_at: Date
  last_used_at: Date | null
  ended_at: Date | null
  ended_by: 'owner' | 'program' | 'replay' | 'limit' | null
}

export type Grant = Selectable<OAuthGrantTable>
export type GrantEnding = NonNullable<Grant['ended_by']>

const codeLifeMs = 60_000
const idleMs = 60 * 86_400_000
const retryWindowMs = 10_000
const lastUsedPrecisionMs = 10 * 60_000
export const maxPrograms = 50
const codePrefix = 'svcod_'

const hashOfCode = (code: string): Buffer => createHash('sha256').update(code).digest()

/**
 * Creates a grant and the code with which its program gets the first tokens. The caller holds the account's lock. Returns
 * undefined if this consent was given before: the form was sent twice.
 */
export async function createGrant(tx: Tx, accountId: string, consent: Consent, now: Date): Promise<string | undefined> {
  const code = codePrefix + randomBytes(32).toString('base64url')
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('oauth_grants')
    .values({
      id: randomUUID(),
      account_id: accountId,
      consent_id: consent.id,
      client_id: consent.clientId,
      client_name: consent.clientName,
      client_host: consent.clientHost,
      redirect_uri: consent.redirectUri,
      scopes: consent.scopes,
      resource: consent.resource,
      code_hash: hashOfCode(code),
      code_challenge: consent.codeChallenge,
      generation: 0,
      created_at: now,
      rotated_at: now,
      expires_at: new Date(now.getTime() + codeLifeMs),
    })
    .onConflict((conflict) => conflict.column('consent_id').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n ? code : undefined
}

/** Disconnects the least recently used programs if an account would have more than `maxPrograms`. */
export async function makeRoom(tx: Tx, accountId: string, now: Date): Promise<void> {
  await sql`
    UPDATE oauth_grants SET ended_at = ${now}, ended_by = 'limit' WHERE id IN (
      SELECT id FROM oauth_grants WHERE account_id = ${accountId} AND ended_at IS NULL AND expires_at > ${now}
      ORDER BY coalesce(last_used_at, rotated_at) DESC, id OFFSET ${maxPrograms - 1})`.execute(tx)
}

export interface CodeExchange {
  readonly code: string
  readonly clientId: string
  readonly redirectUri: string | undefined
  readonly codeVerifier: string
}

/**
 * Exchanges a code for the first generation of tokens. The row is locked, so that of two requests with one code the second
 * ends what the first got (OAuth 2.1, section 4.1.3). A code that comes with the wrong verifier, program or redirect URI
 * was stolen, and is used up. Returns undefined if it is refused: the caller must refuse after the commit.
 */
export async function exchangeCode(tx: Tx, given: CodeExchange, now: Date): Promise<Grant | undefined> {
  const grant = await tx
    .selectFrom('oauth_grants')
    .selectAll()
    .where('code_hash', '=', hashOfCode(given.code))
    .where('account_id', 'in', ({ selectFrom }) =>
      selectFrom('accounts').select('id').where('suspended_at', 'is', null),
    )
    .forUpdate()
    .executeTakeFirst()
  if (!grant || grant.ended_at) return undefined
  const isRight =
    grant.generation === 0 &&
    grant.client_id === given.clientId &&
    (given.redirectUri === undefined || given.redirectUri === grant.redirect_uri) &&
    createHash('sha256').update(given.codeVerifier).digest('base64url') === grant.code_challenge
  if (!isRight) {
    await endGrant(tx, grant.id, 'replay', now)
    return undefined
  }
  return grant.expires_at <= now ? undefined : nextGeneration(tx, grant, now)
}

/**
 * Starts the next generation of tokens, as sessions do. For 10 seconds the previous refresh token still returns the current
 * generation, so a client can retry after a lost response. Any other old token was stolen or replayed, and ends the grant.
 * Returns undefined if it is refused: the caller must refuse after the commit.
 */
export async function refreshGrant(
  tx: Tx,
  presented: RefreshClaims,
  clientId: string,
  now: Date,
): Promise<Grant | undefined> {
  const grant = await tx
    .selectFrom('oauth_grants')
    .selectAll()
    .where('id', '=', presented.grantId)
    .where('account_id', 'in', ({ selectFrom }) =>
      selectFrom('accounts').select('id').where('suspended_at', 'is', null),
    )
    .forUpdate()
    .executeTakeFirst()
  if (!grant || grant.ended_at || grant.expires_at <= now || grant.client_id !== clientId) return undefined
  if (presented.generation === grant.generation) return nextGeneration(tx, grant, now)
  const isRetry =
    presented.generation === grant.generation - 1 &&
    presented.generation > 0 &&
    now.getTime() - grant.rotated_at.getTime() <= retryWindowMs
  if (isRetry) return grant
  await endGrant(tx, grant.id, 'replay', now)
  return undefined
}

const nextGeneration = (tx: Tx, { id, generation }: Grant, now: Date): Promise<Grant> =>
  tx
    .updateTable('oauth_grants')
    .set({ generation: generation + 1, rotated_at: now, expires_at: new Date(now.getTime() + idleMs) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Ends a grant: its code and tokens stop working. Does nothing if it has ended. */
export async function endGrant(tx: Db | Tx, id: string, reason: GrantEnding, now: Date): Promise<void> {
  await tx
    .updateTable('oauth_grants')
    .set({ ended_at: now, ended_by: reason })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
}

export const findGrant = (db: Db, id: string): Promise<Grant | undefined> =>
  db.selectFrom('oauth_grants').selectAll().where('id', '=', id).executeTakeFirst()

export const findGrantOfCode = (db: Db, code: string): Promise<Grant | undefined> =>
  db.selectFrom('oauth_grants').selectAll().where('code_hash', '=', hashOfCode(code)).executeTakeFirst()

/** Lists the connected programs of an account, most recently connected first. Skips those that have not used their code yet. */
export const listLiveGrants = (db: Db, accountId: string, now: Date): Promise<Grant[]> =>
  db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('generation', '>', 0)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(maxPrograms)
    .execute()

interface LiveGrant extends OwnerAccount {
  readonly scopes: OAuthScope[]
  readonly generation: number
  readonly last_used_at: Date | null
}

export const liveGrant: Statement<LiveGrant> = {
  name: 'live-oauth-grant',
  text: `SELECT ${ownerAccountColumns}, g.scopes, g.generation, g.last_used_at
    FROM oauth_grants g JOIN accounts a ON a.id = g.account_id ${accountJoins}
    WHERE g.id = $1 AND g.ended_at IS NULL AND g.expires_at > $2 AND a.suspended_at IS NULL`,
}

/** Finds a grant whose tokens work, with its account. */
export async function findLiveGrant(pool: pg.Pool, id: string, now: Date): Promise<LiveGrant | undefined> {
  const [row] = await readRows(pool, liveGrant, [id, now.toISOString()])
  if (!row) return undefined
  // Updated at most every ten minutes, so that most requests need no write.
  if (!row.last_used_at || now.getTime() - row.last_used_at.getTime() > lastUsedPrecisionMs) {
    await pool.query('UPDATE oauth_grants SET last_used_at = $2 WHERE id = $1', [id, now])
  }
  return row
}
