import { z } from 'zod'
import { PublicAuthor } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { limitsByAccountAndAddress } from './limit.ts'
import { emailNotConfirmed } from './notification-preferences.ts'
import { refusal } from './refusal.ts'
import { DateTime, queryInteger, Uuid } from './schemas.ts'

const channels = {
  notify_new_posts: z.boolean(),
  notify_channel_email: z.boolean(),
  notify_channel_inapp: z.boolean(),
}
const FollowPreferences = z.object(channels).meta({ id: 'FollowPreferences' })

const Follow = z
  .object({ id: Uuid, creator_id: Uuid, follower_id: Uuid, created_at: DateTime, ...channels })
  .meta({ id: 'Follow' })
export type Follow = z.infer<typeof Follow>

export const creatorNotFound = refusal('creator-not-found', 404, 'No creator has this id.')
export const followNotFound = refusal('follow-not-found', 404, 'You have no follow with this id.')
export const selfFollow = refusal('self-follow', 400, 'You cannot follow yourself.')

const owner = { tag: 'Follows', credential: 'owner-session', errors: 'h3', invalidBody: 400 } as const
const follow = {
  ...owner,
  path: '/api/v1/follows/{creatorId}',
  replies: { 200: z.object({ following: z.boolean(), follow: Follow.nullable() }) },
} as const

export const getFollow = endpoint({
  ...follow,
  method: 'GET',
  summary: 'Check whether you follow a creator',
  description: '`follow` is null if you do not.',
  request: { params: z.object({ creatorId: Uuid }) },
  refusals: [creatorNotFound],
})

export const updateFollow = endpoint({
  ...follow,
  method: 'PUT',
  summary: 'Follow or unfollow a creator',
  description: 'Following a creator twice keeps the existing follow, with its id and preferences.',
  request: { params: z.object({ creatorId: Uuid }), body: z.strictObject({ following: z.boolean() }) },
  refusals: [creatorNotFound, selfFollow],
  givesWay: true,
  limits: limitsByAccountAndAddress('follows', { account: 500, address: 3000, seconds: 600 }),
})

const preferences = {
  ...owner,
  path: '/api/v1/follows/preferences/{followId}',
  replies: { 200: FollowPreferences },
} as const

export const getFollowPreferences = endpoint({
  ...preferences,
  method: 'GET',
  summary: 'Get the notification preferences of a follow',
  description: '`followId` is the `id` of the follow, not of the creator.',
  request: { params: z.object({ followId: Uuid }) },
  refusals: [followNotFound],
})

export const updateFollowPreferences = endpoint({
  ...preferences,
  method: 'PUT',
  summary: 'Change the notification preferences of a follow',
  description:
    'Fields that are left out keep their value. Emails about new posts also need `notify_new_post` and `email_notifications` in your notification preferences; in-app notifications need `notify_new_post_inapp` and `in_app_notifications`.',
  request: {
    params: z.object({ followId: Uuid }),
    body: z
      .strictObject(channels)
      .partial()
      .refine((patch) => Object.keys(patch).length > 0, 'must change something')
      .meta({ minProperties: 1 }),
  },
  refusals: [followNotFound, emailNotConfirmed],
})

const open = { tag: 'Follows', credential: 'none', errors: 'h3' } as const
// No limit in practice: any page is found through an index.
const paging = z.object({
  page: queryInteger({ min: 1, max: 1_000_000, default: 1 }),
  per_page: queryInteger({ min: 1, max: 100, default: 10 }),
})
const people = {
  200: z.object({
    data: z.array(PublicAuthor),
    total: z.number().int(),
    page: z.number().int(),
    per_page: z.number().int(),
  }),
}

export const listFollowers = endpoint({
  fromReplica: 'always',
  ...open,
  method: 'GET',
  path: '/api/followers/{userId}',
  summary: 'List the followers of an account, newest first',
  description: 'Each with its public profile fields, in pages.',
  request: { params: z.object({ userId: Uuid }), query: paging },
  replies: people,
  refusals: [creatorNotFound],
})

export const listFollowing = endpoint({
  fromReplica: 'always',
  ...open,
  method: 'GET',
  path: '/api/following/{userId}',
  summary: 'List the creators that an account follows, newest first',
  description: 'Each with its public profile fields, in pages.',
  request: { params: z.object({ userId: Uuid }), query: paging },
  replies: people,
  refusals: [creatorNotFound],
})

export const getFollowCounts = endpoint({
  fromReplica: 'always',
  ...open,
  method: 'GET',
  path: '/api/follows/counts/{profileId}',
  summary: 'Get the number of followers and of followed creators',
  description: 'Both numbers are public.',
  request: { params: z.object({ profileId: Uuid }) },
  replies: { 200: z.object({ followers: z.number().int(), following: z.number().int() }) },
  refusals: [creatorNotFound],
})
