import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { Code, Email } from './schemas.ts'
import { invalidVerification, mailCooldown, TokenPair, tooManyTries } from './sessions.ts'

export const noPendingEmail = refusal('no-pending-email', 400, 'There is no email change to confirm.')
export const untrustedConfirmation = refusal(
  'untrusted-confirmation',
  422,
  'This confirmation link was not issued by this service.',
)
export const emailInUse = refusal('email-in-use', 409, 'Another account uses this email address.')
export const lastLogin = refusal('last-login', 409, 'This is your only way to sign in.')

const EmailStatus = z.object({
  status: z.enum(['none', 'confirmed', 'pending']),
  email: z.string().nullable(),
  pendingEmail: z.string().nullable(),
})

const tag = 'Receiving address and email'
const common = { tag, credential: 'owner-session', errors: 'h3' } as const

export const getAccountEmail = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/account/email',
  summary: 'Get your email address and any pending change',
  description: '`pending` means that a change waits for confirmation; `email` is still the current address then.',
  replies: { 200: EmailStatus },
})

export const changeAccountEmail = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/account/email',
  summary: 'Change your email address',
  description:
    'Sends a code and a link to the new address, and a notice to the current one. Nothing changes until the new address is confirmed.',
  // Unlike other bodies, this one allows extra properties.
  request: { body: z.object({ email: Email }) },
  replies: {
    200: z.object({ status: z.enum(['confirmation_sent', 'already_pending']), pendingEmail: z.string().nullable() }),
  },
  refusals: [mailCooldown],
  // Each change also emails the current address, which gets at most six emails an hour.
  limits: [limit('email-changes', { per: 'account', max: 6, seconds: 3600 })],
})

export const removeAccountEmail = endpoint({
  ...common,
  method: 'DELETE',
  path: '/api/v1/account/email',
  summary: 'Remove your email address',
  description: 'Only possible if you can sign in another way. Turns email notifications off.',
  replies: { 200: EmailStatus },
  refusals: [lastLogin],
})

export const resendAccountEmail = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/account/email/resend',
  summary: 'Resend the confirmation email',
  description: 'Sends a new code and link to the new address. The previous ones stop working.',
  replies: { 200: z.object({ status: z.literal('resent'), pendingEmail: z.string() }) },
  refusals: [noPendingEmail, mailCooldown],
})

export const verifyAccountEmail = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/account/email/verify',
  summary: 'Confirm the new email address',
  description:
    'Send the `code` from the email, or the `confirmationUrl` of its link, but not both. The current session stays valid, so `session` is null.',
  request: {
    body: z
      .strictObject({ code: Code.optional(), confirmationUrl: z.string().max(2048).optional() })
      .refine(
        (body) => (body.code === undefined) !== (body.confirmationUrl === undefined),
        'send exactly one of code and confirmationUrl',
      )
      .meta({ oneOf: [{ required: ['code'] }, { required: ['confirmationUrl'] }] }),
  },
  replies: { 200: z.object({ status: z.literal('verified'), email: z.string(), session: TokenPair.nullable() }) },
  refusals: [noPendingEmail, invalidVerification, tooManyTries, untrustedConfirmation, emailInUse],
})

const link = { query: z.object({ token: z.string().max(200), type: z.literal('email_change') }) }

export const showEmailConfirmation = endpoint({
  method: 'GET',
  path: '/auth/v1/verify',
  tag,
  summary: 'Show the page behind a confirmation link',
  description:
    'Opening the page changes nothing, because mail scanners open links before people do. Its button confirms.',
  credential: 'none',
  request: link,
  replies: { 200: raw('text/html; charset=utf-8', 'A page with a button.') },
  errors: 'problem',
})

export const confirmEmailByLink = endpoint({
  method: 'POST',
  path: '/auth/v1/verify',
  tag,
  summary: 'Confirm an email address with the button on that page',
  credential: 'none',
  request: link,
  replies: { 200: raw('text/html; charset=utf-8', 'A page that says the address is confirmed.') },
  refusals: [invalidVerification, emailInUse],
  errors: 'problem',
})
