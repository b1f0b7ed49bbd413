import type { KeyCaller } from '@pennypost/contract/credential'
import type { WrittenByKey } from '@pennypost/contract/posts'
import { sql } from 'kysely'
import { type KeyName, listKeyNames } from '../accounts/key-store.ts'
import type { Db, Tx } from '../platform/database/database.ts'

/** The mark of a caller's writing: the `keyId` of a publishing key, nothing for a browser. */
export const writerOf = ({ keyId, isBrowser }: KeyCaller): string | null => (isBrowser ? null : keyId)

interface WrittenRow {
  readonly written_by_key: string | null
}

export type NameWriter = (written: WrittenRow) => WrittenByKey | null

/** Reads the keys that wrote these posts or versions. The returned function names the key of each. */
export async function readWriters(
  db: Db | Tx,
  accountId: string,
  written: readonly WrittenRow[],
  now: Date,
): Promise<NameWriter> {
  const keyIds = [...new Set(written.flatMap(({ written_by_key }) => written_by_key ?? []))]
  const keys = keyIds.length === 0 ? [] : await listKeyNames(db, accountId, keyIds)
  const programs = keyIds.length === keys.length ? [] : await listProgramNames(db, accountId, keyIds)
  const known = new Map([...keys, ...programs].map((key) => [key.key_id, key]))
  return ({ written_by_key: keyId }) =>
    keyId === null ? null : { keyId, label: known.get(keyId)?.label ?? null, status: statusOf(known.get(keyId), now) }
}

const isUuid = (id: string): boolean => id.length === 36

/** Programs that a person has connected write too. They are named like keys, by the ids of their connections. */
async function listProgramNames(db: Db | Tx, accountId: string, ids: readonly string[]): Promise<KeyName[]> {
  const programIds = ids.filter(isUuid)
  if (programIds.length === 0) return []
  const { rows } = await sql<KeyName>`
    SELECT id::text AS key_id, client_name AS label, ended_at AS revoked_at, expires_at FROM oauth_grants
    WHERE account_id = ${accountId} AND id = ANY (${programIds}::uuid[])`.execute(db)
  return rows
}

function statusOf(key: KeyName | undefined, now: Date): WrittenByKey['status'] {
  if (!key || key.revoked_at) return 'revoked'
  return key.expires_at && key.expires_at <= now ? 'expired' : 'active'
}
