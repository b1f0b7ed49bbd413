import { z } from 'zod'
import { PublicAuthor } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { sessionExpired } from './sessions.ts'

// How a browser stays signed in. The tokens of an owner session are kept in an HttpOnly cookie. Operations accept it in
// place of an `Authorization` header; for methods other than GET only from pages of this service.

export const untrustedOrigin = refusal(
  'untrusted-origin',
  403,
  'Only pages of this service can sign a browser in or out. Open the site at its own address, which is `BASE_URL`.',
)

const SiteSession = z
  .object({
    account: PublicAuthor.extend({
      isAdmin: z.boolean(),
      isGuest: z
        .boolean()
        .meta({ description: 'An account that was created by a purchase and has no way to sign in yet.' }),
    })
      .nullable()
      .meta({ description: 'Null if nobody is signed in.' }),
    unread: z.number().int().meta({ description: 'The number of unread notifications.' }),
  })
  .meta({ id: 'SiteSession' })
export type SiteSession = z.infer<typeof SiteSession>

const common = { path: '/session', tag: 'Pages', credential: 'none', errors: 'problem', cache: 'private' } as const
const cookies = { cookie: z.string().max(16_384).optional() }
const withOrigin = z.object({ ...cookies, origin: z.string().max(2048).optional() })

export const startSiteSession = endpoint({
  ...common,
  method: 'POST',
  summary: 'Sign this browser in',
  description: 'Stores a `TokenPair` in a cookie.',
  request: {
    headers: withOrigin,
    body: z.strictObject({ accessToken: z.string().max(4096), refreshToken: z.string().max(512) }),
  },
  replies: { 200: SiteSession },
  replyHeaders: { 'Set-Cookie': 'The tokens, HttpOnly, for this origin.' },
  refusals: [untrustedOrigin, sessionExpired],
})

export const getSiteSession = endpoint({
  ...common,
  method: 'GET',
  summary: 'Get the account that is signed in in this browser',
  description: 'An access token that is about to expire is renewed.',
  request: { headers: z.object(cookies) },
  replies: { 200: SiteSession },
  replyHeaders: { 'Set-Cookie': 'Sent if the tokens were renewed or have expired.' },
})

export const endSiteSession = endpoint({
  ...common,
  method: 'DELETE',
  summary: 'Sign this browser out',
  request: { headers: withOrigin },
  replies: { 200: SiteSession },
  replyHeaders: { 'Set-Cookie': 'Deletes the tokens.' },
  refusals: [untrustedOrigin],
})
