import { keyIdempotency } from '@pennypost/contract/idempotency'
import type { issueKey as declared } from '@pennypost/contract/keys'
import { withIdempotencyKey } from '../platform/idempotency.ts'
import { addKey, findKey } from './key-store.ts'
import { expiryOf, keyView } from './key-view.ts'
import { derivedSecret, randomSecret, writeKey } from './publishing-key.ts'
import type { Handler } from './services.ts'

const replayMs = 86_400_000

/**
 * Issues a publishing key. With an idempotency key, the secret is derived from that and the id of the key's row. A
 * replay derives it again, so no secret is stored in clear text.
 */
export const issueKey: Handler<typeof declared> = async ({ db, clock, secrets }, { caller, body, idempotencyKey }) => {
  const now = clock.now()
  const random = randomSecret()
  const secretOf = (rowId: string) =>
    idempotencyKey === undefined ? random : derivedSecret(secrets.key('publishing-key'), rowId, idempotencyKey)
  const request = {
    flavour: keyIdempotency,
    scope: `issueKey ${caller.accountId}`,
    key: idempotencyKey,
    intent: body ?? {},
    now,
    expiresAt: new Date(now.getTime() + replayMs),
  }
  const issued = await withIdempotencyKey(db, request, async (tx) => {
    const expiresAt = expiryOf(body, now)
    const key = await addKey(tx, { accountId: caller.accountId, label: body?.label ?? null, expiresAt, secretOf, now })
    return { status: 200, body: { id: key.id } }
  })
  const key = await findKey(db, issued.body.id)
  return {
    status: 200,
    ...(issued.replayed && { headers: { 'x-idempotency-replay': 'true' } }),
    body: { apiKey: keyView(key), key: writeKey(key.key_id, secretOf(key.id)) },
  }
}
