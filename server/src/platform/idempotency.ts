import { createHash } from 'node:crypto'
import type { IdempotencyFlavour } from '@pennypost/contract/idempotency'
import { sql } from 'kysely'
import type { Db, Tx } from './database/database.ts'
import { refuse } from './http/refuse.ts'

declare module './database/tables.ts' {
  interface Tables {
    idempotent_replies: {
      scope: string
      key: string
      fingerprint: Buffer
      status: number | null
      body: unknown
      expires_at: Date | null
    }
  }
}

export interface IdempotentRequest {
  readonly flavour: IdempotencyFlavour
  /** Whose key it is and for what: account and operation. */
  readonly scope: string
  readonly key: string | undefined
  /** What was asked for; the same key with another intent is refused. */
  readonly intent: unknown
  /** Left out: kept as long as the database. */
  readonly expiresAt?: Date
  readonly now: Date
}

export interface Outcome<Body> {
  readonly status: number
  readonly body: Body
}

/**
 * Runs `work` once for a key. The claim, the work and its answer are one transaction: a second request with the same key
 * waits on the unique index and then gets the first one's answer, and a crash leaves either all of it or nothing.
 */
export async function withIdempotencyKey<Body>(
  db: Db,
  request: IdempotentRequest,
  work: (tx: Tx) => Promise<Outcome<Body>>,
): Promise<Outcome<Body> & { replayed: boolean }> {
  const { key } = request
  if (key === undefined) return { ...(await db.transaction().execute(work)), replayed: false }
  return db.transaction().execute(async (tx) => {
    const fingerprint = fingerprintOf(request.intent)
    // Those of one scope are all kept for a while, or all for ever.
    if (request.expiresAt) await forgetExpired(tx, request.scope, key, request.now)
    const claimed = await tx
      .insertInto('idempotent_replies')
      .values({
        scope: request.scope,
        key,
        fingerprint,
        status: null,
        body: null,
        expires_at: request.expiresAt ?? null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (claimed.numInsertedOrUpdatedRows === 0n) return replay<Body>(tx, request, fingerprint)
    const outcome = await work(tx)
    await tx
      .updateTable('idempotent_replies')
      .set({ status: outcome.status, body: JSON.stringify(outcome.body) })
      .where('scope', '=', request.scope)
      .where('key', '=', key)
      .execute()
    return { ...outcome, replayed: false }
  })
}

const forgetExpired = (tx: Tx, scope: string, key: string, now: Date): Promise<unknown> =>
  tx
    .deleteFrom('idempotent_replies')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('expires_at', '<=', now)
    .execute()

async function replay<Body>(tx: Tx, request: IdempotentRequest, fingerprint: Buffer) {
  const saved = await tx
    .selectFrom('idempotent_replies')
    .selectAll()
    .where('scope', '=', request.scope)
    .where('key', '=', request.key!)
    .executeTakeFirstOrThrow()
  if (!saved.fingerprint.equals(fingerprint)) refuse(request.flavour.conflict)
  return { status: saved.status!, body: saved.body as Body, replayed: true }
}

/**
 * Forgets what keys of these scopes were answered, by the `id` in the answers: what they named is gone. Whoever sends
 * such a key again begins anew.
 * @param scopeBeginning has an index of its own
 */
export async function forgetReplies(tx: Tx, scopeBeginning: 'checkout:guest ', ids: readonly string[]): Promise<void> {
  await sql`DELETE FROM idempotent_replies
    WHERE scope LIKE ${sql.lit(`${scopeBeginning}%`)} AND body ->> 'id' = ANY(${ids}::text[])`.execute(tx)
}

/** The same intent gives the same bytes, in whatever order its fields came. */
const fingerprintOf = (intent: unknown): Buffer =>
  createHash('sha256')
    .update(
      JSON.stringify(intent, (_, value) =>
        isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
      ) ?? '',
    )
    .digest()

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
