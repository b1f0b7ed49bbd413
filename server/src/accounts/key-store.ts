import { randomUUID, timingSafeEqual } from 'node:crypto'
import { activeKeyLimit } from '@pennypost/contract/keys'
import type { Selectable } from 'kysely'
import type pg from 'pg'
import { type Db, readRows, type Statement, type Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { lockOwnAccount } from './account-store.ts'
import { accountJoins, type KeyAccount, keyAccountColumns } from './caller-account.ts'
import { hashOfKey, newKeyId, type ParsedKey, writeKey } from './publishing-key.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    publishing_keys: PublishingKeyTable
  }
}

interface PublishingKeyTable {
  id: string
  account_id: string
  key_id: string
  secret_hash: Buffer
  label: string | null
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

export type PublishingKey = Selectable<PublishingKeyTable>

export const maxActiveKeys = 5
const dayMs = 86_400_000
/** A key expires after 90 days unless the request sets another date, or null for none. */
export const defaultKeyLifeMs = 90 * dayMs
const listedAfterEndMs = 90 * dayMs
const lastUsedPrecisionMs = 10 * 60_000

export interface NewKey {
  readonly accountId: string
  readonly label: string | null
  readonly expiresAt: Date | null
  readonly secretOf: (rowId: string) => Buffer
  readonly now: Date
}

/** Adds a key. Holds the account lock from count to insert, or parallel requests could create a sixth key. */
export async function addKey(tx: Tx, input: NewKey): Promise<PublishingKey> {
  await lockOwnAccount(tx, input.accountId)
  const { active } = await tx
    .selectFrom('publishing_keys')
    .select(({ fn }) => fn.countAll<string>().as('active'))
    .where('account_id', '=', input.accountId)
    .where('revoked_at', 'is', null)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', input.now)]))
    .executeTakeFirstOrThrow()
  if (Number(active) >= maxActiveKeys) refuse(activeKeyLimit)
  const id = randomUUID()
  const keyId = newKeyId()
  const row: PublishingKey = {
    id,
    account_id: input.accountId,
    key_id: keyId,
    secret_hash: hashOfKey(writeKey(keyId, input.secretOf(id))),
    label: input.label,
    created_at: input.now,
    expires_at: input.expiresAt,
    revoked_at: null,
    last_used_at: null,
  }
  await tx.insertInto('publishing_keys').values(row).execute()
  return row
}

/** Finds a key of this account by its `id` or its `keyId`, and locks the account. */
export async function lockOwnKey(tx: Tx, accountId: string, idOrKeyId: string): Promise<PublishingKey | undefined> {
  const byId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(idOrKeyId)
  await lockOwnAccount(tx, accountId)
  return tx
    .selectFrom('publishing_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(byId ? 'id' : 'key_id', '=', byId ? idOrKeyId.toLowerCase() : idOrKeyId)
    .executeTakeFirst()
}

export const findKey = (db: Db | Tx, id: string): Promise<PublishingKey> =>
  db.selectFrom('publishing_keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

export const endKey = (tx: Tx, id: string, now: Date): Promise<PublishingKey> =>
  tx
    .updateTable('publishing_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const listKeysOf = (db: Db, accountId: string, now: Date): Promise<PublishingKey[]> => {
  const since = new Date(now.getTime() - listedAfterEndMs)
  return db
    .selectFrom('publishing_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(({ or, eb }) => or([eb('revoked_at', 'is', null), eb('revoked_at', '>', since)]))
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', since)]))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

export type KeyName = Pick<PublishingKey, 'key_id' | 'label' | 'revoked_at' | 'expires_at'>

/** Lists keys of an account by their `keyId`, active or not. */
export const listKeyNames = (db: Db | Tx, accountId: string, keyIds: readonly string[]): Promise<KeyName[]> =>
  db
    .selectFrom('publishing_keys')
    .select(['key_id', 'label', 'revoked_at', 'expires_at'])
    .where('account_id', '=', accountId)
    .where('key_id', 'in', keyIds)
    .execute()

interface LiveKey extends KeyAccount {
  readonly secret_hash: Buffer
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
}

export const liveKey: Statement<LiveKey> = {
  name: 'live-key',
  text: `SELECT ${keyAccountColumns}, key.secret_hash, key.expires_at, key.last_used_at
    FROM publishing_keys key JOIN accounts a ON a.id = key.account_id ${accountJoins}
    WHERE key.key_id = $1 AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > $2)
      AND a.suspended_at IS NULL`,
}

/** Finds the key that a caller presents. Returns undefined if it is wrong or no longer works. */
export async function findLiveKey(pool: pg.Pool, parsed: ParsedKey, now: Date): Promise<LiveKey | undefined> {
  const [row] = await readRows(pool, liveKey, [parsed.keyId, now.toISOString()])
  if (!row || !timingSafeEqual(row.secret_hash, parsed.secretHash)) return undefined
  // Updated at most every ten minutes, so that most requests need no write.
  if (!row.last_used_at || now.getTime() - row.last_used_at.getTime() > lastUsedPrecisionMs) {
    await pool.query('UPDATE publishing_keys SET last_used_at = $2 WHERE key_id = $1', [parsed.keyId, now])
  }
  return row
}
