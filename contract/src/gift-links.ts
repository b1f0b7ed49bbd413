import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limitsByAccountAndAddress } from './limit.ts'
import { postNotFound } from './posts.ts'
import { refusal } from './refusal.ts'
import { CursorPagination, DateTime, queryInteger, Uuid } from './schemas.ts'

const GiftLink = z
  .object({
    token: z.string(),
    url: z.string(),
    createdAt: DateTime,
    uses: z.number().int().meta({ description: 'How often the post was read through this link.' }),
  })
  .meta({ id: 'GiftLink' })
export type GiftLink = z.infer<typeof GiftLink>

export const postNotPublished = refusal('post-not-published', 409, 'Only a published post can have a gift link.')

const giftLink = {
  path: '/api/v1/posts/{postId}/gift-link',
  tag: 'Access',
  credential: 'owner-session',
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: z.object({ giftLink: GiftLink.nullable() }) },
  errors: 'h3',
} as const

const changes = limitsByAccountAndAddress('gift-links', { account: 300, address: 1500, seconds: 600 })

export const getGiftLink = endpoint({
  ...giftLink,
  method: 'GET',
  summary: 'Get the gift link of your post',
  description: 'Null if the post has none.',
  refusals: [postNotFound],
})

export const createGiftLink = endpoint({
  ...giftLink,
  method: 'POST',
  summary: 'Create a gift link, or get the existing one',
  description:
    'Anyone with the link can read the post and download its ZIP files without paying, as long as the post is published.',
  refusals: [postNotFound, postNotPublished],
  limits: changes,
})

export const disableGiftLink = endpoint({
  ...giftLink,
  method: 'DELETE',
  summary: 'Disable the gift link',
  description: 'Readers can no longer use the link. A later link has another token.',
  refusals: [postNotFound],
  limits: changes,
})

const ListedGiftLink = GiftLink.extend({
  post: z.object({
    id: Uuid,
    title: z.string(),
    status: z
      .enum(['published', 'withdrawn'])
      .meta({ description: 'The link opens the post only while it is published.' }),
  }),
}).meta({ id: 'ListedGiftLink' })
export type ListedGiftLink = z.infer<typeof ListedGiftLink>

export const listGiftLinks = endpoint({
  method: 'GET',
  path: '/api/v1/gift-links',
  tag: 'Access',
  summary: 'List the gift links of your posts, newest first',
  description: 'Disabled links are not listed.',
  credential: 'owner-session',
  request: {
    query: z.object({
      limit: queryInteger({ min: 1, max: 100, default: 50 }),
      cursor: z.string().max(200).optional().meta({ description: 'The `nextCursor` of the previous page.' }),
    }),
  },
  replies: { 200: z.object({ giftLinks: z.array(ListedGiftLink), pagination: CursorPagination }) },
  errors: 'h3',
})
