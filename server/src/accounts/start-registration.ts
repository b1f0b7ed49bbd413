import { registrationIdempotency } from '@pennypost/contract/idempotency'
import { type startRegistration as declared, registrationExpired } from '@pennypost/contract/registrations'
import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import type { Handler } from '../services.ts'
import { refuseTakenHandle } from './account-store.ts'
import { countSend, mailboxOf } from './mailbox.ts'
import { addRegistration, findRegistration, type Registration } from './registration-store.ts'
import { sendRegistrationCode } from './send-registration-code.job.ts'

export const startRegistration: Handler<typeof declared> = async ({ db, clock, secrets }, { body, idempotencyKey }) => {
  const now = clock.now()
  const { email, name, handle } = body
  const attempt = { id: idempotencyKey, email, name, handle }
  const registration = await db.transaction().execute(async (tx) => {
    const added = await addRegistration(tx, attempt, now)
    if (!added) return replay((await findRegistration(tx, idempotencyKey))!, attempt, now)
    if (await isHandleTaken(tx, handle)) refuseTakenHandle()
    await countSend(tx, mailboxOf(secrets, email), now)
    await enqueue(tx, clock, sendRegistrationCode, { registrationId: idempotencyKey })
    return added
  })
  return {
    status: 202,
    body: {
      registrationId: registration.id,
      expiresAt: registration.expires_at.toISOString(),
      message: 'Look into this mailbox: a code, or a note how to sign in, is on its way.',
    },
  }
}

function replay(
  saved: Registration,
  attempt: Pick<Registration, 'email' | 'name' | 'handle'>,
  now: Date,
): Registration {
  const isSame = saved.email === attempt.email && saved.name === attempt.name && saved.handle === attempt.handle
  if (!isSame) refuse(registrationIdempotency.conflict)
  if (saved.expires_at <= now) refuse(registrationExpired)
  return saved
}

// A handle is public anyway, so that it is taken can be said at once.
async function isHandleTaken(tx: Tx, handle: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM accounts WHERE lower(handle) = lower(${handle})`.execute(tx)
  return rows.length > 0
}
