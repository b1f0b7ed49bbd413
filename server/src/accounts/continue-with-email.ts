import { randomUUID } from 'node:crypto'
import type { continueWithEmail as declared } from '@pennypost/contract/continuations'
import { invitationRequired } from '@pennypost/contract/invitations'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { addContinuation, type Continuation } from './continuation-store.ts'
import { findInvitation } from './invitation-store.ts'
import { countSend, loginCodeLifeMs } from './mailbox-limits.ts'
import { requireCaptcha } from './require-captcha.ts'
import { sendContinuationCode } from './send-continuation-code.job.ts'
import type { Handler } from './services.ts'

/** Does not look up whether the address has an account, so neither the reply nor its duration reveals it. */
export const continueWithEmail: Handler<typeof declared> = async (services, { body, ip }) => {
  const { db, clock, secrets, config, site } = services
  await requireCaptcha(config.captcha, body.captchaToken, ip)
  const invitationId = await findInvitation(services, body.invitation)
  // Without an invitation, the address may have an account.
  if (site.settings().registration === 'invite' && body.invitation !== undefined && invitationId === null)
    refuse(invitationRequired)
  const now = clock.now()
  const continuation: Continuation = {
    id: randomUUID(),
    email: body.email,
    created_at: now,
    expires_at: new Date(now.getTime() + loginCodeLifeMs),
    used_at: null,
    invitation_id: invitationId,
  }
  await db.transaction().execute(async (tx) => {
    await countSend(tx, secrets, { email: body.email, ip, now })
    await addContinuation(tx, continuation)
    await enqueue(tx, clock, sendContinuationCode, { continuationId: continuation.id })
  })
  return {
    status: 202,
    body: {
      continuationId: continuation.id,
      expiresAt: continuation.expires_at.toISOString(),
      message: 'Check your inbox for a code.',
    },
  }
}
