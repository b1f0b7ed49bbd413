import { z } from 'zod'
import { PublicAuthor, publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { DateTime, queryInteger, Uuid } from './schemas.ts'

/** Not an enum: clients must tolerate kinds that they do not know. */
const Kind = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be a kind of notification')

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

// Unlike other limits, a value outside the range is clamped, not refused.
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
  summary: 'List your notifications, newest first',
  description:
    'When you poll, compare ids: rows can shift between pages. Without `includeAll`, kinds that are turned off in the app are left out of rows and counts. `preferences` says for each kind whether it is on in the app. Without `preferenceSchema=2`, a `comment_mention` is reported as `new_comment`.',
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
  description: 'Ids that are not yours or already read are ignored.',
  request: { body: z.strictObject({ ids: z.array(Uuid).min(1).max(1000) }) },
  replies: { 200: Updated },
  maxBodyBytes: 64 * 1024,
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
    'must not give two different values for one id',
  )
  // The second spelling of each id is for older clients, and is not shown.
  .meta({
    openapi: {
      type: 'object',
      minProperties: 1,
      properties: {
        postId: { type: ['string', 'null'], format: 'uuid' },
        purchaseId: { type: ['string', 'null'], format: 'uuid' },
        commentId: { type: ['string', 'null'], format: 'uuid' },
        followerId: { type: ['string', 'null'], format: 'uuid' },
        types: {
          type: ['array', 'null'],
          maxItems: 128,
          items: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
          description: 'Kinds of notifications.',
        },
      },
    },
  })
export type ReadContext = z.infer<typeof ReadContext>

export const markContextRead = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/notifications/mark-context-read',
  summary: 'Mark notifications about a post, purchase, comment, follower or kind as read',
  description:
    'A notification must match everything that is given. Ids may also be written in snake case, such as `post_id`. `new_comment` includes mentions, as in the first preference schema.',
  request: { body: z.strictObject({ context: ReadContext }) },
  replies: { 200: Updated },
})

export const markAllRead = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/notifications/mark-all-read',
  summary: 'Mark all notifications as read',
  description: '`updated` is the number of notifications that were unread.',
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
  summary: 'Check whether you muted the discussion of a post',
  description: 'While a discussion is muted, you are not notified of its comments.',
  request: { params: z.object({ postId: Uuid }) },
})

export const updatePostMute = endpoint({
  ...mute,
  method: 'PUT',
  summary: 'Mute or unmute the discussion of a post',
  description: 'The author is still notified of sales and tips.',
  request: { params: z.object({ postId: Uuid }), body: z.strictObject({ muted: z.boolean() }) },
})
