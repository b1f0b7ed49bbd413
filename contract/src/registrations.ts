import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { hasLink, isDefaultName, isInvisible, NewHandle } from './handle.ts'
import { registrationIdempotency } from './idempotency.ts'
import { InvitationCode, invitationRequired, registrationClosed } from './invitations.ts'
import { ApiKey, activeKeyLimit } from './keys.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { Code, DateTime, Email, trimmedText, Uuid } from './schemas.ts'
import { invalidVerification, mailCooldown, TokenPair, tooManyTries } from './sessions.ts'

/** A name that an account can choose: 1 to 50 characters after trimming, and not the default name. */
export const NewName = trimmedText(1, 50)
  .superRefine((name, context) => {
    if (isDefaultName(name)) context.addIssue({ code: 'custom', params: { code: 'reserved' }, message: 'is reserved' })
    if (name !== '' && isInvisible(name)) {
      context.addIssue({ code: 'custom', params: { code: 'required' }, message: 'must be visible' })
    }
    if (hasLink(name))
      context.addIssue({ code: 'custom', params: { code: 'contains_link' }, message: 'must not contain a link' })
    // Control characters and direction overrides could rearrange the text around the name.
    if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name)) {
      context.addIssue({
        code: 'custom',
        params: { code: 'invalid_text' },
        message: 'contains characters that are not allowed',
      })
    }
  })
  .meta({ openapi: { type: 'string', minLength: 1, maxLength: 50 } })

const RegistrationReceipt = z
  .object({ registrationId: Uuid, expiresAt: DateTime, message: z.string() })
  .meta({ id: 'RegistrationReceipt' })

export const registrationNotFound = refusal('registration-not-found', 404, 'No registration has this id.')
export const registrationExpired = refusal(
  'registration-expired',
  410,
  'This registration is more than an hour old. Start a new one.',
)
export const handleConflict = refusal('handle-conflict', 409, 'This handle is already taken.', {
  errors: z.array(z.object({ field: z.literal('handle'), code: z.literal('taken'), message: z.string() })),
})
export const keyAlreadyIssued = refusal(
  'key-already-issued',
  409,
  'The key of this registration was already issued. Its secret is not stored.',
  {
    profile: z.object({ id: Uuid, name: z.string(), handle: z.string() }),
    apiKey: ApiKey,
  },
)
export const foreignRegistration = refusal('foreign-registration', 403, 'This registration belongs to another account.')

/** Counted by the handler, because a replay of a saved registration must not count. */
export const registrationStarts = limit('registration-starts', { per: 'ip', max: 10, seconds: 3600 })
const completions = limit('registration-completions', { per: 'ip', max: 60, seconds: 3600 })

export const startRegistration = endpoint({
  method: 'POST',
  path: '/api/v1/registrations',
  tag: 'Sessions and keys',
  summary: 'Register with an email address',
  description:
    'Emails a six-digit code. An address that already has an account gets instructions for signing in instead.',
  credential: 'none',
  request: {
    body: z.strictObject({
      email: Email,
      name: NewName,
      handle: NewHandle,
      acceptedTerms: z.literal(true),
      invitation: InvitationCode.optional(),
    }),
  },
  replies: { 202: RegistrationReceipt },
  refusals: [handleConflict, mailCooldown, registrationExpired, registrationClosed, invitationRequired],
  handlerLimits: [registrationStarts],
  errors: 'problem',
  idempotency: registrationIdempotency,
})

export const verifyRegistration = endpoint({
  method: 'POST',
  path: '/api/v1/registrations/{registrationId}/verify',
  tag: 'Sessions and keys',
  summary: 'Confirm the email address and get a session',
  description:
    'Takes the code from the email. The account exists from now on. Get its publishing key next (`issueRegistrationKey`).',
  credential: 'none',
  request: { params: z.object({ registrationId: Uuid }), body: z.strictObject({ code: Code }) },
  replies: { 200: TokenPair },
  cache: 'private',
  refusals: [
    registrationNotFound,
    registrationExpired,
    invalidVerification,
    tooManyTries,
    registrationClosed,
    invitationRequired,
  ],
  errors: 'problem',
  limits: [completions],
})

export const issueRegistrationKey = endpoint({
  method: 'POST',
  path: '/api/v1/registrations/{registrationId}/api-key',
  tag: 'Sessions and keys',
  summary: 'Get the first publishing key (only once)',
  description:
    'The full key is in this response only. If it is lost, create another key with `issueKey`. A `handle` in the body replaces the one of the registration, in case it was taken meanwhile.',
  credential: 'owner-session',
  request: {
    params: z.object({ registrationId: Uuid }),
    body: z.strictObject({ handle: NewHandle.optional() }).optional(),
  },
  replies: {
    201: z.object({
      profile: z.object({ id: Uuid, name: z.string(), handle: z.string() }),
      apiKey: ApiKey,
      key: z.string(),
    }),
  },
  refusals: [
    registrationNotFound,
    registrationExpired,
    foreignRegistration,
    handleConflict,
    keyAlreadyIssued,
    activeKeyLimit,
  ],
  errors: 'problem',
  limits: [completions],
})
