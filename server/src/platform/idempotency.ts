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
  /** Who may use the key and for what: account and operation. */
  readonly scope: string
  readonly key: string | undefined
  /** The request, without its key. The same key with a different intent is refused. */
  readonly intent: unknown
  /** If omitted, the reply is kept forever. */
  readonly expiresAt?: Date
  readonly now: Date
}

export interface Outcome<Body> {
  readonly status: number
  readonly body: Body
}

/**
 * Runs `work` once per idempotency key. Claiming the key, the work and storing its reply are one transaction: a second
 * request with the same key waits on the unique index and then gets the first reply, and a crash leaves all or nothing.
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
    // Within a scope, either every reply expires or none does.
    if (request.expiresAt) await deleteExpired(tx, request.scope, key, request.now)
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

const deleteExpired = (tx: Tx, scope: string, key: string, now: Date): Promise<unknown> =>
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
 * Deletes stored replies by the `id` in their body, after the thing they describe was deleted. A client that sends the
 * key again starts over.
 * @param scopePrefix needs a partial index on `body ->> 'id'`
 */
export async function deleteReplies(tx: Tx, scopePrefix: string, ids: readonly string[]): Promise<void> {
  await sql`DELETE FROM idempotent_replies
    WHERE scope LIKE ${sql.lit(`${scopePrefix}%`)} AND body ->> 'id' = ANY(${ids}::text[])`.execute(tx)
}

/** The same intent gives the same bytes, whatever the order of its fields. */
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
