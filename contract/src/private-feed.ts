import { z } from 'zod'
import { type RawBody, raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { DateTime } from './schemas.ts'

// A feed with the full text of everything an account bought. Feed readers cannot sign in, so the URL is the secret.

const PrivateFeed = z.object({ createdAt: DateTime }).meta({ id: 'PrivateFeed' })

export const privateFeedNotFound = refusal(
  'private-feed-not-found',
  404,
  'No private feed has this URL. It may have been revoked.',
)

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
  summary: 'Check whether you have a private feed of your purchases',
  description: 'Its URL cannot be shown again because only a hash is stored.',
  replies: state,
})

export const createPrivateFeed = endpoint({
  ...owner,
  method: 'POST',
  summary: 'Create a private feed with the full text of your purchases',
  description: 'Replaces the previous URL, which stops working.',
  replies: {
    201: z.object({
      feed: PrivateFeed,
      urls: z
        .object({ rss: z.string(), atom: z.string(), json: z.string() })
        .meta({ description: 'Shown only once. Anyone with one of these URLs can read what you bought.' }),
    }),
  },
  limits: [limit('private-feeds', { per: 'account', max: 20, seconds: 3600 })],
})

export const revokePrivateFeed = endpoint({
  ...owner,
  method: 'DELETE',
  summary: 'Revoke your private feed',
  description: 'Its URLs stop working immediately. Nothing changes if there is none.',
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
    // Not stored by proxies; a feed reader with a current copy gets 304.
    cache: 'private',
    conditional: true,
    limits: [limit('private-feed-reads', { per: 'ip', max: 120, seconds: 60 })],
  })

const whole = 'The full text of the 50 most recent purchases'
export const getPrivateRss = feed(
  '/feed/{token}/feed.xml',
  'Get a private feed as RSS',
  raw('application/rss+xml; charset=utf-8', `${whole}, as RSS 2.0.`),
)
export const getPrivateAtom = feed(
  '/feed/{token}/atom.xml',
  'Get a private feed as Atom',
  raw('application/atom+xml; charset=utf-8', `${whole}, as Atom.`),
)
export const getPrivateJsonFeed = feed(
  '/feed/{token}/feed.json',
  'Get a private feed as JSON Feed',
  raw('application/feed+json; charset=utf-8', `${whole}, as JSON Feed 1.1.`),
)
