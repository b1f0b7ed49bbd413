import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { Code, DateTime, Email, Uuid } from './schemas.ts'

/** A renewable owner session (§2). */
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

/** Whose session it is. */
export const SessionUser = z.object({ user: z.object({ id: Uuid }) })

export const invalidVerification = refusal('invalid-verification', 401, 'The code is wrong, expired or already used.')
export const sessionExpired = refusal('session-expired', 401, 'This session has ended: sign in again.')
export const tooManyTries = refusal(
  'too-many-tries',
  429,
  'Too many wrong codes for this address: wait, then try again.',
)
export const mailCooldown = refusal(
  'mail-cooldown',
  429,
  'Mail was sent to this address a moment ago: wait, then try again.',
)
export const captchaFailed = refusal('captcha-failed', 403, 'The captcha was not passed.')

// Generous: many people may share an address. They keep one machine from working through mailboxes or codes.
const logins = limit('logins', { per: 'ip', max: 300, seconds: 3600 })
const loginCodes = limit('login-codes', { per: 'ip', max: 300, seconds: 3600 })
const refreshes = limit('refreshes', { per: 'ip', max: 6000, seconds: 3600 })

export const logIn = endpoint({
  method: 'POST',
  path: '/api/v1/auth/login',
  tag: 'Sessions and keys',
  summary: 'Send a sign-in code by mail',
  description: 'The answer is the same whether the address has an account or not. It never creates one.',
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
  summary: 'Sign in with the code',
  credential: 'none',
  request: { body: z.strictObject({ email: Email, code: Code }) },
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
  summary: 'Exchange the refresh token for a new pair',
  description:
    'Both tokens change. The token before the current one returns the same pair for 10 seconds, for a response that was lost; ' +
    'any older use of it ends the session.',
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
  summary: 'End this session',
  credential: 'owner-session',
  replies: {
    200: z.object({ loggedOut: z.literal(true), scope: z.literal('local'), accessTokenValidUntilExpiry: z.boolean() }),
  },
  errors: 'problem',
})

/** A place where somebody is signed in. */
const OwnerSession = z
  .object({
    id: Uuid,
    kind: z.enum(['email', 'wallet']),
    isCurrent: z.boolean().meta({ description: 'Whether it is the one that asks.' }),
    startedAt: DateTime,
    renewedAt: DateTime,
    expiresAt: DateTime,
  })
  .meta({ id: 'OwnerSession' })

export const sessionNotFound = refusal('session-not-found', 404, 'No session of yours has this id.')

export const listSessions = endpoint({
  method: 'GET',
  path: '/api/v1/sessions',
  tag: 'Sessions and keys',
  summary: 'Where you are signed in, the last renewed first',
  description: 'At most the latest 100.',
  credential: 'owner-session',
  replies: { 200: z.object({ sessions: z.array(OwnerSession) }) },
  errors: 'problem',
})

export const revokeSession = endpoint({
  method: 'POST',
  path: '/api/v1/sessions/{sessionId}/revoke',
  tag: 'Sessions and keys',
  summary: 'End one of your sessions',
  credential: 'owner-session',
  request: { params: z.object({ sessionId: Uuid }) },
  replies: { 200: z.object({ id: Uuid, revoked: z.literal(true) }) },
  refusals: [sessionNotFound],
  errors: 'problem',
})

export const getSigningKeys = endpoint({
  method: 'GET',
  path: '/.well-known/jwks.json',
  tag: 'Sessions and keys',
  summary: 'The public key of access tokens',
  credential: 'none',
  replies: { 200: raw('application/json; charset=utf-8', 'A JSON Web Key set.') },
  errors: 'problem',
  cache: { seconds: 3600 },
})
