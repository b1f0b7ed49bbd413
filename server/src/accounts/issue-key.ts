import { keyIdempotency } from '@pennypost/contract/idempotency'
import type { issueKey as declared } from '@pennypost/contract/keys'
import { withIdempotencyKey } from '../platform/idempotency.ts'
import { generationsOf, type Secrets } from '../platform/secrets.ts'
import { addKey, findKey } from './key-store.ts'
import { expiryOf, keyView } from './key-view.ts'
import { derivedSecret, hashOfKey, randomSecret, writeKey } from './publishing-key.ts'
import type { Handler } from './services.ts'

const replayMs = 86_400_000

/**
 * Issues a publishing key. With an idempotency key, the secret is derived from that and the id of the key's row. A
 * replay derives it again, so no secret is stored in clear text.
 */
export const issueKey: Handler<typeof declared> = async ({ db, clock, secrets }, { caller, body, idempotencyKey }) => {
  const now = clock.now()
  const random = randomSecret()
  const secretFrom = (generation: Secrets, rowId: string) =>
    idempotencyKey === undefined ? random : derivedSecret(generation.key('publishing-key'), rowId, idempotencyKey)
  const secretOf = (rowId: string) => secretFrom(secrets, rowId)
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
  // A replay may be of a key that was issued before the service secret was rotated.
  const texts = generationsOf(secrets).map((each) => writeKey(key.key_id, secretFrom(each, key.id)))
  const text = texts.find((each) => hashOfKey(each).equals(key.secret_hash)) ?? texts[0]!
  return {
    status: 200,
    ...(issued.replayed && { headers: { 'x-idempotency-replay': 'true' } }),
    body: { apiKey: keyView(key), key: text },
  }
}
