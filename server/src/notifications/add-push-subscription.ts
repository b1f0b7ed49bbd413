import { invalidRequest } from '@pennypost/contract/errors'
import { type addPushSubscription as declared, pushEndpointRefused } from '@pennypost/contract/push'
import { refuse } from '../platform/http/refuse.ts'
import { isPushKey } from '../platform/push/push.ts'
import type { Handler } from './services.ts'
import { saveSubscription } from './subscription-store.ts'

export const addPushSubscription: Handler<typeof declared> = async ({ db, clock, push }, { caller, body }) => {
  if (!isPushKey(body.keys.p256dh)) {
    refuse(invalidRequest, {
      errors: [{ field: 'keys.p256dh', code: 'invalid', message: 'must be a P-256 public key' }],
    })
  }
  // Each message checks it again, because the host may resolve to another address by then.
  if (!(await push.accepts(body.endpoint))) refuse(pushEndpointRefused)
  const id = await db.transaction().execute((tx) =>
    saveSubscription(tx, {
      account_id: caller.accountId,
      endpoint: body.endpoint,
      p256dh: body.keys.p256dh,
      auth: body.keys.auth,
      expires_at: typeof body.expirationTime === 'number' ? new Date(body.expirationTime) : null,
      created_at: clock.now(),
    }),
  )
  return { status: 201, body: { id } }
}
