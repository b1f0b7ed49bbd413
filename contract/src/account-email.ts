import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { Code, Email } from './schemas.ts'
import { invalidVerification, mailCooldown, TokenPair, tooManyTries } from './sessions.ts'

export const noPendingEmail = refusal('no-pending-email', 400, 'No change of address is waiting for confirmation.')
export const untrustedConfirmation = refusal(
  'untrusted-confirmation',
  422,
  'This is not a confirmation link of this service.',
)
export const emailInUse = refusal('email-in-use', 409, 'Another account has this address.')
export const lastLogin = refusal('last-login', 409, 'This is the only way to sign in to the account.')

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
  summary: 'Your address and a change that is waiting',
  replies: { 200: EmailStatus },
})

export const changeAccountEmail = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/account/email',
  summary: 'Ask for another address',
  description:
    'Sends a code and a link to the new address, and a note to the current one. Nothing changes until confirmed.',
  // §4: extra properties allowed.
  request: { body: z.object({ email: Email }) },
  replies: {
    200: z.object({ status: z.enum(['confirmation_sent', 'already_pending']), pendingEmail: z.string().nullable() }),
  },
  refusals: [mailCooldown],
  // Each change writes to the old address too, which may get six mails an hour.
  limits: [limit('email-changes', { per: 'account', max: 6, seconds: 3600 })],
})

export const removeAccountEmail = endpoint({
  ...common,
  method: 'DELETE',
  path: '/api/v1/account/email',
  summary: 'Have no address any more',
  description: 'Only where another login remains. Mail about notifications is off afterwards.',
  replies: { 200: EmailStatus },
  refusals: [lastLogin],
})

export const resendAccountEmail = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/account/email/resend',
  summary: 'Send the confirmation again',
  replies: { 200: z.object({ status: z.literal('resent'), pendingEmail: z.string() }) },
  refusals: [noPendingEmail, mailCooldown],
})

export const verifyAccountEmail = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/account/email/verify',
  summary: 'Confirm the new address',
  request: {
    body: z
      .strictObject({ code: Code.optional(), confirmationUrl: z.string().max(2048).optional() })
      .refine(
        (body) => (body.code === undefined) !== (body.confirmationUrl === undefined),
        'send exactly one of code and confirmationUrl',
      ),
  },
  replies: { 200: z.object({ status: z.literal('verified'), email: z.string(), session: TokenPair.nullable() }) },
  refusals: [noPendingEmail, invalidVerification, tooManyTries, untrustedConfirmation, emailInUse],
})

const link = { query: z.object({ token: z.string().max(200), type: z.literal('email_change') }) }

export const showEmailConfirmation = endpoint({
  method: 'GET',
  path: '/auth/v1/verify',
  tag,
  summary: 'The page behind a confirmation link',
  description:
    'Looking changes nothing, since mail programs look at links before people do; the button on it confirms.',
  credential: 'none',
  request: link,
  replies: { 200: raw('text/html; charset=utf-8', 'A page with a button.') },
  errors: 'problem',
})

export const confirmEmailByLink = endpoint({
  method: 'POST',
  path: '/auth/v1/verify',
  tag,
  summary: 'The button on that page',
  credential: 'none',
  request: link,
  replies: { 200: raw('text/html; charset=utf-8', 'The address is confirmed.') },
  refusals: [invalidVerification, emailInUse],
  errors: 'problem',
})
