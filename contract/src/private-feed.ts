import { z } from 'zod'
import { type RawBody, raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { DateTime } from './schemas.ts'

// What somebody bought, whole, for their feed reader. Readers know no sign-in, so that the address itself is the secret.

const PrivateFeed = z.object({ createdAt: DateTime }).meta({ id: 'PrivateFeed' })

export const privateFeedNotFound = refusal('private-feed-not-found', 404, 'No feed has this address, or not any more.')

const owner = {
  path: '/api/v1/account/private-feed',
  tag: 'Feeds',
  credential: 'owner-session',
  errors: 'problem',
} as const
const state = { 200: z.object({ feed: PrivateFeed.nullable() }) }

export const getPrivateFeed = endpoint({
  ...owner,
  method: 'GET',
  summary: 'Whether there is a private feed of what you bought',
  description: 'Its address is not told again: it is kept as a hash.',
  replies: state,
})

export const createPrivateFeed = endpoint({
  ...owner,
  method: 'POST',
  summary: 'Make a secret address for a feed of all you bought, in full',
  description: 'The address before it, if there was one, opens nothing from now on.',
  replies: {
    201: z.object({
      feed: PrivateFeed,
      urls: z
        .object({ rss: z.string(), atom: z.string(), json: z.string() })
        .meta({ description: 'Shown this once. Whoever has one reads what you bought.' }),
    }),
  },
  limits: [limit('private-feeds', { per: 'account', max: 20, seconds: 3600 })],
})

export const revokePrivateFeed = endpoint({
  ...owner,
  method: 'DELETE',
  summary: 'Revoke the address of your private feed',
  replies: state,
})

const feed = (path: string, summary: string, format: RawBody) =>
  endpoint({
    method: 'GET',
    tag: 'Feeds',
    credential: 'none',
    path,
    summary,
    request: { params: z.object({ token: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }) },
    replies: { 200: format },
    refusals: [privateFeedNotFound],
    errors: 'problem',
    // Neither kept nor shared on the way; a reader that has it all is told so.
    cache: 'private',
    conditional: true,
    limits: [limit('private-feed-reads', { per: 'ip', max: 120, seconds: 60 })],
  })

const whole = 'The 50 Posts that were bought last, whole'
export const getPrivateRss = feed(
  '/feed/{token}/feed.xml',
  'What the owner of this address bought, as RSS',
  raw('application/rss+xml; charset=utf-8', `${whole}, as RSS 2.0.`),
)
export const getPrivateAtom = feed(
  '/feed/{token}/atom.xml',
  'What the owner of this address bought, as Atom',
  raw('application/atom+xml; charset=utf-8', `${whole}, as Atom.`),
)
export const getPrivateJsonFeed = feed(
  '/feed/{token}/feed.json',
  'What the owner of this address bought, as JSON Feed',
  raw('application/feed+json; charset=utf-8', `${whole}, as JSON Feed 1.1.`),
)
