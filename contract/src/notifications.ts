import { z } from 'zod'
import { PublicAuthor, publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { DateTime, queryInteger, Uuid } from './schemas.ts'

/** §2: clients tolerate kinds they do not know. */
const Kind = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be a kind of notification')

/** Decisions §8. */
const Notification = z
  .object({
    id: Uuid,
    kind: Kind,
    created_at: DateTime,
    read_at: DateTime.nullable(),
    post_id: Uuid.nullable(),
    purchase_id: Uuid.nullable(),
    comment_id: Uuid.nullable(),
    follower_id: Uuid.nullable(),
    actor: PublicAuthor.nullable(),
    title: z.string(),
    body: z.string(),
    url: z.string(),
  })
  .meta({ id: 'Notification' })
export type Notification = z.infer<typeof Notification>

const common = { tag: 'Notifications', credential: 'owner-session', errors: 'h3', invalidBody: 400 } as const
const Updated = z.object({ updated: z.number().int() })

// §4: out of its range it is moved to the nearest end, not refused.
const Limit = z
  .string()
  .regex(/^-?[0-9]{1,100}$/, 'must be a whole number')
  .transform((text) => Math.min(Math.max(Number(text), 1), 50))
  .prefault('20')
  .meta({ openapi: { type: 'integer', minimum: 1, maximum: 50, default: 20 } })

const Flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .prefault('false')
  .meta({ openapi: { type: 'boolean', default: false } })

export const listNotifications = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/notifications',
  summary: 'What you were told, the newest first',
  description:
    'Poll it and tell rows apart by id: the offset is no snapshot. Without `includeAll` kinds that are switched off in the feed now are left out of rows and counts. `preferences` says of each kind whether the feed is told of it. Without `preferenceSchema=2` a `comment_mention` reads `new_comment`.',
  request: {
    query: z.object({
      limit: Limit,
      offset: queryInteger({ min: 0, max: 2_147_483_647, default: 0 }),
      includeAll: Flag,
      preferenceSchema: z.enum(['1', '2']).optional(),
    }),
  },
  replies: {
    200: z.object({
      notifications: z.array(Notification),
      total: z.number().int(),
      unread: z.number().int(),
      preferences: z.record(z.string(), z.boolean()),
      pagination: z.object({
        limit: z.number().int(),
        offset: z.number().int(),
        total: z.number().int(),
        hasMore: z.boolean(),
      }),
      includeAll: z.boolean(),
    }),
  },
})

export const markNotificationsRead = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/notifications/mark-read',
  summary: 'Mark notifications as read',
  description: 'Ids that are not yours, or are read already, count for nothing.',
  request: { body: z.strictObject({ ids: z.array(Uuid).min(1).max(1000) }) },
  replies: { 200: Updated },
})

const contextIds = {
  postId: Uuid.nullish(),
  purchaseId: Uuid.nullish(),
  commentId: Uuid.nullish(),
  followerId: Uuid.nullish(),
  post_id: Uuid.nullish(),
  purchase_id: Uuid.nullish(),
  comment_id: Uuid.nullish(),
  follower_id: Uuid.nullish(),
}

const ReadContext = z
  .strictObject({ ...contextIds, types: z.array(Kind).max(128).nullish() })
  .refine(
    ({ types, ...ids }) => (types?.length ?? 0) > 0 || Object.values(ids).some((id) => typeof id === 'string'),
    'must name something',
  )
  .refine(
    (context) =>
      (['post', 'purchase', 'comment', 'follower'] as const).every((noun) => {
        const [camel, snake] = [context[`${noun}Id`], context[`${noun}_id`]]
        return !camel || !snake || camel === snake
      }),
    'says two different things of one id',
  )
export type ReadContext = z.infer<typeof ReadContext>

export const markContextRead = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/notifications/mark-context-read',
  summary: 'Mark as read what belongs to a Post, a purchase, a Comment, a follower or some kinds',
  description:
    'All that is named must hold. Ids may be spelled either way. `new_comment` means mentions too: that is how clients of the first schema see them.',
  request: { body: z.strictObject({ context: ReadContext }) },
  replies: { 200: Updated },
})

export const markAllRead = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/notifications/mark-all-read',
  summary: 'Mark everything as read',
  replies: { 200: Updated },
})

const mute = {
  ...common,
  path: '/api/v1/notifications/posts/{postId}/mute',
  replies: { 200: z.object({ muted: z.boolean() }) },
  refusals: [publicPostNotFound],
} as const

export const getPostMute = endpoint({
  ...mute,
  method: 'GET',
  summary: 'Whether you hear of the discussion of a Post',
  request: { params: z.object({ postId: Uuid }) },
})

export const updatePostMute = endpoint({
  ...mute,
  method: 'PUT',
  summary: 'Stop or start hearing of the discussion of a Post',
  description: 'Of its sales and tips its author hears all the same.',
  request: { params: z.object({ postId: Uuid }), body: z.strictObject({ muted: z.boolean() }) },
})
