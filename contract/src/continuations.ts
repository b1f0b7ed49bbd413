import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { InvitationCode, invitationRequired, registrationClosed } from './invitations.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { DateTime, Email, Uuid } from './schemas.ts'
import {
  CodeOrLinkToken,
  captchaFailed,
  invalidVerification,
  mailCooldown,
  SessionUser,
  TokenPair,
  tooManyTries,
} from './sessions.ts'

// Signing in and signing up are one form: proving a mailbox gives its account, which is created if there is none.

const ContinuationReceipt = z
  .object({ continuationId: Uuid, expiresAt: DateTime, message: z.string() })
  .meta({ id: 'ContinuationReceipt' })

const ContinuedSession = TokenPair.extend({ isNewAccount: z.boolean(), session: SessionUser }).meta({
  id: 'ContinuedSession',
})

export const continuationNotFound = refusal('continuation-not-found', 404, 'No sign-in by email has this id.')
export const continuationExpired = refusal(
  'continuation-expired',
  410,
  'This sign-in is more than ten minutes old. Start again.',
)

// The same figures as for signing in, because it is the same form.
const continuations = limit('continuations', { per: 'ip', max: 300, seconds: 3600 })
const continuationCodes = limit('continuation-codes', { per: 'ip', max: 300, seconds: 3600 })
/** Counted by the handler: only when the address has no account yet. Wide enough for a classroom behind one address. */
export const newAccounts = limit('new-accounts', { per: 'ip', max: 40, seconds: 3600 })

export const continueWithEmail = endpoint({
  method: 'POST',
  path: '/api/v1/auth/continue',
  tag: 'Sessions and keys',
  summary: 'Sign in or sign up with an email address',
  description:
    'Emails a code and a link, which are valid for ten minutes. Response and number of emails are the same whether or not the address has an account. If the site does not accept new accounts, the email to an unknown address says so.',
  credential: 'none',
  request: {
    body: z.strictObject({
      email: Email,
      acceptedTerms: z.literal(true),
      captchaToken: z.string().max(4096).optional(),
      invitation: InvitationCode.optional(),
    }),
  },
  replies: { 202: ContinuationReceipt },
  refusals: [mailCooldown, captchaFailed, invitationRequired],
  errors: 'problem',
  limits: [continuations],
})

export const verifyContinuation = endpoint({
  method: 'POST',
  path: '/api/v1/auth/continue/{continuationId}/verify',
  tag: 'Sessions and keys',
  summary: 'Confirm the email address and get a session',
  description:
    'Creates an account if the address has none. Its name and handle are provisional: choose others before you publish or comment. Instead of the six digits, `code` may be the `token` in the link of the email, which works even after wrong codes.',
  credential: 'none',
  request: { params: z.object({ continuationId: Uuid }), body: z.strictObject({ code: CodeOrLinkToken }) },
  replies: { 200: ContinuedSession },
  cache: 'private',
  refusals: [
    continuationNotFound,
    continuationExpired,
    invalidVerification,
    tooManyTries,
    registrationClosed,
    invitationRequired,
  ],
  errors: 'problem',
  limits: [continuationCodes],
  handlerLimits: [newAccounts],
})
