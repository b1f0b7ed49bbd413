import { randomUUID } from 'node:crypto'
import { validation } from '@pennypost/contract/errors'
import {
  type createInvitation as declaredCreate,
  type listInvitations as declaredList,
  type revokeInvitation as declaredRevoke,
  invitationNotFound,
} from '@pennypost/contract/invitations'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import {
  addInvitation,
  endInvitation,
  type Invitation,
  invitationCode,
  listNewestInvitations,
  lockInvitation,
} from '../accounts/invitation-store.ts'
import { requireAdmin } from '../accounts/require-admin.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Handler } from './services.ts'

const defaultLifeMs = 30 * 86_400_000

export const listInvitations: Handler<typeof declaredList> = async ({ db, secrets }, { caller, origin }) => {
  requireAdmin(caller)
  const invitations = await listNewestInvitations(db)
  return { status: 200, body: { invitations: invitations.map((each) => invitationView(each, secrets, origin)) } }
}

export const createInvitation: Handler<typeof declaredCreate> = async (
  { db, clock, secrets },
  { caller, body, origin },
) => {
  requireAdmin(caller)
  const now = clock.now()
  const invitation: Invitation = {
    id: randomUUID(),
    label: body.label ?? null,
    max_uses: body.maxUses,
    used_count: 0,
    created_by: caller.accountId,
    created_at: now,
    expires_at: body.expiresAt === undefined ? new Date(now.getTime() + defaultLifeMs) : new Date(body.expiresAt),
    revoked_at: null,
  }
  if (invitation.expires_at <= now)
    refuse(validation, { errors: [{ field: 'expiresAt', code: 'out_of_range', message: 'must be in the future' }] })
  await db.transaction().execute(async (tx) => {
    await addInvitation(tx, invitation)
    const target = ['invitation', invitation.id] as const
    const details = { maxUses: String(invitation.max_uses), ...(invitation.label && { label: invitation.label }) }
    await recordAuditEntry(tx, { at: now, actorId: caller.accountId, act: 'invitation.create', target, details })
  })
  return { status: 201, body: invitationView(invitation, secrets, origin) }
}

export const revokeInvitation: Handler<typeof declaredRevoke> = async (
  { db, clock, secrets },
  { caller, params, origin },
) => {
  requireAdmin(caller)
  const now = clock.now()
  const invitation = await db.transaction().execute(async (tx) => {
    const found = (await lockInvitation(tx, params.invitationId)) ?? refuse(invitationNotFound)
    if (found.revoked_at) return found
    const target = ['invitation', found.id] as const
    await recordAuditEntry(tx, { at: now, actorId: caller.accountId, act: 'invitation.revoke', target })
    return endInvitation(tx, found.id, now)
  })
  return { status: 200, body: invitationView(invitation, secrets, origin) }
}

function invitationView(invitation: Invitation, secrets: Secrets, origin: string) {
  const code = invitationCode.of(secrets, invitation.id)
  return {
    id: invitation.id,
    label: invitation.label,
    code,
    // In the fragment, which browsers do not send, so that the code is in no log.
    url: `${origin}/join#${new URLSearchParams({ invitation: code })}`,
    maxUses: invitation.max_uses,
    usedCount: invitation.used_count,
    createdAt: invitation.created_at.toISOString(),
    expiresAt: invitation.expires_at.toISOString(),
    revokedAt: invitation.revoked_at?.toISOString() ?? null,
  }
}
