import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { DateTime, trimmedText, Uuid } from './schemas.ts'

export const registrationClosed = refusal('registration-closed', 403, 'This site does not accept new accounts.')
export const invitationRequired = refusal(
  'invitation-required',
  403,
  'New accounts need a valid invitation: sign up by email with the code of one.',
)
export const invitationNotFound = refusal('invitation-not-found', 404, 'No invitation has this id.')

/** The code that invited people send when they sign up. */
export const InvitationCode = z.string().max(200).meta({ description: 'The code of an invitation.' })

export const Invitation = z
  .object({
    id: Uuid,
    label: z.string().nullable(),
    code: z.string(),
    url: z.string().meta({ description: 'A link to the sign-up page with the code in it.' }),
    maxUses: z.number().int(),
    usedCount: z.number().int(),
    createdAt: DateTime,
    expiresAt: DateTime,
    revokedAt: DateTime.nullable(),
  })
  .meta({ id: 'Invitation' })

export type Invitation = z.output<typeof Invitation>

export const listInvitations = endpoint({
  ...adminOnly,
  method: 'GET',
  path: '/api/v1/admin/invitations',
  summary: 'List invitations, newest first',
  description: 'At most 100, with those that were used up, revoked or have expired.',
  replies: { 200: z.object({ invitations: z.array(Invitation) }) },
  refusals: [adminRequired],
})

export const createInvitation = endpoint({
  ...adminOnly,
  method: 'POST',
  path: '/api/v1/admin/invitations',
  summary: 'Invite people to sign up',
  description: 'For sites whose registration is `invite`. By default an invitation is for one account and for 30 days.',
  request: {
    body: z
      .strictObject({
        label: trimmedText(1, 100).nullish(),
        maxUses: z.number().int().min(1).max(1000).default(1),
        expiresAt: DateTime.optional(),
      })
      .prefault({}),
  },
  replies: { 201: Invitation },
  refusals: [adminRequired],
})

export const revokeInvitation = endpoint({
  ...adminOnly,
  method: 'POST',
  path: '/api/v1/admin/invitations/{invitationId}/revoke',
  summary: 'Revoke an invitation',
  description: 'Accounts that were created with it stay.',
  request: { params: z.object({ invitationId: Uuid }) },
  replies: { 200: Invitation },
  refusals: [adminRequired, invitationNotFound],
})
