import { type revokeKey as declared, keyNotFound } from '@pennypost/contract/keys'
import { refuse } from '../platform/http/refuse.ts'
import { endKey, lockOwnKey } from './key-store.ts'
import { keyView } from './key-view.ts'
import type { Handler } from './services.ts'

export const revokeKey: Handler<typeof declared> = async ({ db, clock }, { caller, params }) => {
  const key = await db.transaction().execute(async (tx) => {
    const current = (await lockOwnKey(tx, caller.accountId, params.keyId)) ?? refuse(keyNotFound)
    return current.revoked_at ? current : endKey(tx, current.id, clock.now())
  })
  const { keyPrefix: _, lastUsedAt: __, ...shown } = keyView(key)
  return { status: 200, body: shown }
}
