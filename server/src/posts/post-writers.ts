import type { KeyCaller } from '@pennypost/contract/credential'
import type { WrittenByKey } from '@pennypost/contract/posts'
import { type KeyName, listKeyNames } from '../accounts/key-store.ts'
import type { Db } from '../platform/database/database.ts'

/** What a caller's writing is marked with: the `keyId` of a publishing key, nothing for a browser. */
export const writerOf = ({ keyId, isBrowser }: KeyCaller): string | null => (isBrowser ? null : keyId)

interface Written {
  readonly written_by_key: string | null
}

export type NameWriter = (written: Written) => WrittenByKey | null

/** Reads the keys that wrote these posts or versions. The returned function names the key of each. */
export async function readWriters(
  db: Db,
  accountId: string,
  written: readonly Written[],
  now: Date,
): Promise<NameWriter> {
  const keyIds = [...new Set(written.flatMap(({ written_by_key }) => written_by_key ?? []))]
  const keys = keyIds.length === 0 ? [] : await listKeyNames(db, accountId, keyIds)
  const known = new Map(keys.map((key) => [key.key_id, key]))
  return ({ written_by_key: keyId }) =>
    keyId === null ? null : { keyId, label: known.get(keyId)?.label ?? null, status: statusOf(known.get(keyId), now) }
}

function statusOf(key: KeyName | undefined, now: Date): WrittenByKey['status'] {
  if (!key || key.revoked_at) return 'revoked'
  return key.expires_at && key.expires_at <= now ? 'expired' : 'active'
}
