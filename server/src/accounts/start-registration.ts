import { registrationIdempotency } from '@pennypost/contract/idempotency'
import { invitationRequired, registrationClosed } from '@pennypost/contract/invitations'
import {
  type startRegistration as declared,
  registrationExpired,
  registrationStarts,
} from '@pennypost/contract/registrations'
import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { enforceLimitOfIp } from '../platform/limits/enforce-limit.ts'
import { refuseTakenHandle } from './account-store.ts'
import { findInvitation } from './invitation-store.ts'
import { clientOf, countSend } from './mailbox-limits.ts'
import { addRegistration, findRegistration, type Registration } from './registration-store.ts'
import { sendRegistrationCode } from './send-registration-code.job.ts'
import type { AccountServices, Handler } from './services.ts'

export const startRegistration: Handler<typeof declared> = async (services, { body, idempotencyKey, ip }) => {
  const { email, name, handle } = body
  const client = clientOf(services.secrets, ip)
  const attempt = { id: idempotencyKey, email, name, handle, client, invitation_id: null }
  const saved = await findRegistration(services.db, idempotencyKey)
  // Only new registrations count against the limit of ten an hour for each IP. Repeating a request is not limited.
  if (!saved) await enforceLimitOfIp(services, registrationStarts, ip)
  const registration = saved
    ? replay(saved, attempt, services.clock.now())
    : await begin(services, { ...attempt, invitation_id: await invitationOf(services, body.invitation) }, ip)
  return {
    status: 202,
    body: {
      registrationId: registration.id,
      expiresAt: registration.expires_at.toISOString(),
      message: 'Check your inbox for a code.',
    },
  }
}

type Attempt = Pick<Registration, 'id' | 'email' | 'name' | 'handle' | 'client' | 'invitation_id'>

/** The invitation that a new registration uses. Refuses one that cannot lead to an account. */
async function invitationOf(services: AccountServices, code: string | undefined): Promise<string | null> {
  const { registration } = services.site.settings()
  if (registration === 'closed') refuse(registrationClosed)
  const invitationId = await findInvitation(services, code)
  if (registration === 'invite' && invitationId === null) refuse(invitationRequired)
  return invitationId
}

const begin = ({ db, clock, secrets }: AccountServices, attempt: Attempt, ip: string): Promise<Registration> =>
  db.transaction().execute(async (tx) => {
    const now = clock.now()
    const added = await addRegistration(tx, attempt, now)
    // The same request was sent twice at the same time, and the other one was first.
    if (!added) return replay((await findRegistration(tx, attempt.id))!, attempt, now)
    if (await isHandleTaken(tx, attempt.handle)) refuseTakenHandle()
    await countSend(tx, secrets, { email: attempt.email, ip, now })
    await enqueue(tx, clock, sendRegistrationCode, { registrationId: attempt.id })
    return added
  })

function replay(saved: Registration, attempt: Attempt, now: Date): Registration {
  const isSame = saved.email === attempt.email && saved.name === attempt.name && saved.handle === attempt.handle
  if (!isSame) refuse(registrationIdempotency.conflict)
  if (saved.expires_at <= now) refuse(registrationExpired)
  return saved
}

// Handles are public, so the reply may reveal that one is taken.
async function isHandleTaken(tx: Tx, handle: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM accounts WHERE lower(handle) = lower(${handle}) UNION ALL SELECT WHERE is_retired_handle(${handle})`.execute(
    tx,
  )
  return rows.length > 0
}
