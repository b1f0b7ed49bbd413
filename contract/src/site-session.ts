import { z } from 'zod'
import { PublicAuthor } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { sessionExpired } from './sessions.ts'

// How a browser stays signed in. The pair of an owner session is kept in a cookie that no script can read; operations take
// it in place of an `Authorization` header and, for anything but GET, only from pages of this service.

export const untrustedOrigin = refusal(
  'untrusted-origin',
  403,
  'Only pages of this service may sign a browser in or out: open it at its own address, which is `BASE_URL`.',
)

const SiteSession = z
  .object({
    account: PublicAuthor.extend({
      isAdmin: z.boolean(),
      isGuest: z.boolean().meta({ description: 'Whoever bought something and has no way to sign in yet.' }),
    })
      .nullable()
      .meta({ description: 'Null: nobody is signed in.' }),
    unread: z.number().int().meta({ description: 'Notifications that were not read.' }),
  })
  .meta({ id: 'SiteSession' })
export type SiteSession = z.infer<typeof SiteSession>

const common = { path: '/session', tag: 'Pages', credential: 'none', errors: 'problem', cache: 'private' } as const
const cookies = { cookie: z.string().max(16_384).optional() }
const withOrigin = z.object({ ...cookies, origin: z.string().max(2048).optional() })

export const startSiteSession = endpoint({
  ...common,
  method: 'POST',
  summary: 'Keep an owner session in a cookie',
  description: 'Takes the TokenPair of any way to sign in.',
  request: {
    headers: withOrigin,
    body: z.strictObject({ accessToken: z.string().max(4096), refreshToken: z.string().max(512) }),
  },
  replies: { 200: SiteSession },
  replyHeaders: { 'Set-Cookie': 'The pair, for this origin and no script.' },
  refusals: [untrustedOrigin, sessionExpired],
})

export const getSiteSession = endpoint({
  ...common,
  method: 'GET',
  summary: 'Who is signed in, in this browser',
  description: 'An access token that is about to end is renewed.',
  request: { headers: z.object(cookies) },
  replies: { 200: SiteSession },
  replyHeaders: { 'Set-Cookie': 'Where the pair was renewed, or has ended.' },
})

export const endSiteSession = endpoint({
  ...common,
  method: 'DELETE',
  summary: 'Sign this browser out',
  request: { headers: withOrigin },
  replies: { 200: SiteSession },
  replyHeaders: { 'Set-Cookie': 'Nothing, in place of the pair.' },
  refusals: [untrustedOrigin],
})
