import { type rotateKey as declared, keyNotFound, keyRevoked } from '@pennypost/contract/keys'
import { refuse } from '../platform/http/refuse.ts'
import { addKey, endKey, lockOwnKey } from './key-store.ts'
import { expiryOf, keyView } from './key-view.ts'
import { randomSecret, writeKey } from './publishing-key.ts'
import type { Handler } from './services.ts'

export const rotateKey: Handler<typeof declared> = async ({ db, clock }, { caller, params, body }) => {
  const now = clock.now()
  const secret = randomSecret()
  const key = await db.transaction().execute(async (tx) => {
    const current = (await lockOwnKey(tx, caller.accountId, params.keyId)) ?? refuse(keyNotFound)
    if (current.revoked_at || (current.expires_at && current.expires_at <= now)) refuse(keyRevoked)
    const label = body?.label === undefined ? current.label : body.label
    // Revoke the old key first. Otherwise an account with five active keys would hit the limit.
    await endKey(tx, current.id, now)
    return addKey(tx, {
      accountId: caller.accountId,
      label,
      expiresAt: expiryOf(body, now),
      secretOf: () => secret,
      now,
    })
  })
  return { status: 200, body: { apiKey: keyView(key), key: writeKey(key.key_id, secret) } }
}
