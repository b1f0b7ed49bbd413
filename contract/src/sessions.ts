import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { DateTime, Email, Uuid } from './schemas.ts'

/** The tokens of a renewable owner session. */
export const TokenPair = z
  .object({
    accessToken: z.string(),
    refreshToken: z.string(),
    tokenType: z.literal('Bearer'),
    expiresAt: z.number().int().meta({ description: 'Unix seconds.' }),
    expiresIn: z.number().int().meta({ description: 'Seconds.' }),
  })
  .meta({ id: 'TokenPair' })
export type TokenPair = z.infer<typeof TokenPair>

/** The account that is signed in. */
export const SessionUser = z.object({ user: z.object({ id: Uuid }) })

export const invalidVerification = refusal('invalid-verification', 401, 'The code is wrong, expired or already used.')
export const sessionExpired = refusal('session-expired', 401, 'This session has ended. Sign in again.')
export const tooManyTries = refusal(
  'too-many-tries',
  429,
  'Too many wrong codes for this email address. Open the link in the email if it has one, or wait and try again.',
)
export const mailCooldown = refusal(
  'mail-cooldown',
  429,
  'We just sent an email to this address. Wait a moment, then try again.',
)
export const captchaFailed = refusal('captcha-failed', 403, 'The captcha check failed. Try again.')

// Generous, because many people can share an IP address. They stop one machine from trying many mailboxes or codes.
const logins = limit('logins', { per: 'ip', max: 300, seconds: 3600 })
const loginCodes = limit('login-codes', { per: 'ip', max: 300, seconds: 3600 })
const refreshes = limit('refreshes', { per: 'ip', max: 6000, seconds: 3600 })

/** Six digits, or the token in the link of the email. */
export const CodeOrLinkToken = z
  .string()
  .regex(/^([0-9]{6}|[A-Za-z0-9_-]{43})$/, 'must be six digits, or the token of the link')

export const logIn = endpoint({
  method: 'POST',
  path: '/api/v1/auth/login',
  tag: 'Sessions and keys',
  summary: 'Email a sign-in code',
  description: 'The response is the same whether or not the address has an account. This never creates an account.',
  credential: 'none',
  request: { body: z.strictObject({ email: Email, captchaToken: z.string().max(4096).optional() }) },
  replies: { 202: z.object({ message: z.string() }) },
  refusals: [mailCooldown, captchaFailed],
  errors: 'problem',
  limits: [logins],
})

export const verifyLogin = endpoint({
  method: 'POST',
  path: '/api/v1/auth/verify',
  tag: 'Sessions and keys',
  summary: 'Sign in with an emailed code',
  credential: 'none',
  description:
    'Instead of the six digits, `code` may be the `token` in the link of the email. It works even after wrong codes.',
  request: { body: z.strictObject({ email: Email, code: CodeOrLinkToken }) },
  replies: { 200: TokenPair.extend({ session: SessionUser }) },
  cache: 'private',
  refusals: [invalidVerification, tooManyTries],
  errors: 'problem',
  limits: [loginCodes],
})

export const refreshSession = endpoint({
  method: 'POST',
  path: '/api/v1/auth/refresh',
  tag: 'Sessions and keys',
  summary: 'Exchange a refresh token for new tokens',
  description:
    'Both tokens change. In case the response was lost, the previous refresh token returns the same pair for 10 seconds; ' +
    'using it later ends the session.',
  credential: 'none',
  request: { body: z.strictObject({ refreshToken: z.string().max(512) }) },
  replies: { 200: TokenPair },
  cache: 'private',
  refusals: [sessionExpired],
  errors: 'problem',
  limits: [refreshes],
})

export const logOut = endpoint({
  method: 'POST',
  path: '/api/v1/auth/logout',
  tag: 'Sessions and keys',
  summary: 'Sign out of this session',
  description:
    '`accessTokenValidUntilExpiry` says whether services that verify tokens offline accept this one until it expires. This service refuses it from now on. Other sessions and publishing keys keep working.',
  credential: 'owner-session',
  replies: {
    200: z.object({ loggedOut: z.literal(true), scope: z.literal('local'), accessTokenValidUntilExpiry: z.boolean() }),
  },
  errors: 'problem',
})

/** One sign-in of the account. */
const OwnerSession = z
  .object({
    id: Uuid,
    kind: z.enum(['email', 'wallet']),
    device: z.string().meta({
      description: 'Where it was started, in words: `Firefox on Linux`, the name of a program, or `Unknown device`.',
    }),
    isCurrent: z.boolean().meta({ description: 'Whether this request uses it.' }),
    startedAt: DateTime,
    renewedAt: DateTime,
    lastUsedAt: DateTime.meta({ description: 'To within ten minutes.' }),
    expiresAt: DateTime,
  })
  .meta({ id: 'OwnerSession' })

export const sessionNotFound = refusal('session-not-found', 404, 'You have no session with this id.')

export const listSessions = endpoint({
  method: 'GET',
  path: '/api/v1/sessions',
  tag: 'Sessions and keys',
  summary: 'List your sessions, most recently renewed first',
  description: 'At most 100.',
  credential: 'owner-session',
  replies: { 200: z.object({ sessions: z.array(OwnerSession) }) },
  errors: 'problem',
})

export const revokeSession = endpoint({
  method: 'POST',
  path: '/api/v1/sessions/{sessionId}/revoke',
  tag: 'Sessions and keys',
  summary: 'End one of your sessions',
  description: 'Its tokens stop working immediately. Publishing keys are not affected.',
  credential: 'owner-session',
  request: { params: z.object({ sessionId: Uuid }) },
  replies: { 200: z.object({ id: Uuid, revoked: z.literal(true) }) },
  refusals: [sessionNotFound],
  errors: 'problem',
})

export const revokeOtherSessions = endpoint({
  method: 'POST',
  path: '/api/v1/sessions/revoke-others',
  tag: 'Sessions and keys',
  summary: 'End all of your sessions but this one',
  description: 'Their tokens stop working immediately. Publishing keys are not affected.',
  credential: 'owner-session',
  replies: { 200: z.object({ revoked: z.number().int().meta({ description: 'How many were ended.' }) }) },
  errors: 'problem',
})

export const getSigningKeys = endpoint({
  method: 'GET',
  path: '/.well-known/jwks.json',
  tag: 'Sessions and keys',
  summary: 'Get the public key that verifies access tokens',
  description:
    'A JSON Web Key set. Access tokens are JWTs signed with EdDSA. A valid signature does not mean that the session is still active: only this service knows that.',
  credential: 'none',
  replies: { 200: raw('application/json; charset=utf-8', 'A JSON Web Key set.') },
  errors: 'problem',
  cache: { seconds: 3600 },
})
