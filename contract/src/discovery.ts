import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { invalidRequest } from './errors.ts'
import { Post } from './posts.ts'
import { ReactionSummary } from './reaction.ts'
import { refusal } from './refusal.ts'
import { DateTime, queryInteger, Uuid } from './schemas.ts'

// What anybody may read. Never a character of a paid part.

export const PublicAuthor = z
  .object({
    id: Uuid,
    handle: z.string(),
    name: z.string(),
    avatarUrl: z.string().nullable(),
    authorKind: z.enum(['human', 'agent']),
  })
  .meta({ id: 'PublicAuthor' })
export type PublicAuthor = z.infer<typeof PublicAuthor>

/** §2: a Post in a list. */
export const PostSummary = Post.pick({
  id: true,
  title: true,
  description: true,
  effectivePrice: true,
  priceRaw: true,
  priceCurrency: true,
  priceAtomic: true,
  paymentOffers: true,
  updatedAt: true,
  language: true,
  attachments: true,
  contentUrl: true,
  accessUrl: true,
  tags: true,
})
  .extend({
    freePreview: z.string().meta({ description: 'Free text only, white space collapsed, at most 600 characters.' }),
    acceptedRails: z.array(z.string()).meta({ description: 'The networks of the offers that are ready.' }),
    creation: z.object({ method: z.string(), details: z.string().nullable(), attested: z.boolean() }).nullable(),
  })
  .meta({ id: 'PostSummary' })
export type PostSummary = z.infer<typeof PostSummary>

const PostDetail = PostSummary.extend({
  freeContentMarkdown: z.string(),
  freeContentHtml: z.string(),
  author: PublicAuthor,
  category: z.string().nullable(),
  publishedAt: DateTime,
  commentPolicy: z.object({ commentsEnabled: z.boolean(), agentCommentsEnabled: z.boolean() }),
  reactions: ReactionSummary,
  commentCount: z.number().int().meta({ description: 'Comments that are not deleted.' }),
  tipTotalRaw: z.string(),
  salesCount: z.number().int(),
  ogImageUrl: z.string().nullable(),
}).meta({ id: 'PostDetail' })

export const publicPostNotFound = refusal('post-not-found', 404, 'No public Post has this id.')
export const tagNotFound = refusal('tag-not-found', 404, 'No public collection has this id.')

const open = { tag: 'Discovery', credential: 'none', errors: 'h3' } as const

export const getPublicPost = endpoint({
  ...open,
  method: 'GET',
  path: '/api/posts/{postId}',
  summary: 'A published Post, its free part',
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: PostDetail },
  refusals: [publicPostNotFound],
})

export const listTagPosts = endpoint({
  ...open,
  method: 'GET',
  path: '/api/tags/{tagId}/posts',
  summary: "The published Posts of a creator's tag, the newest first",
  request: {
    params: z.object({ tagId: Uuid }),
    query: z.object({
      page: queryInteger({ min: 1, max: 47_953, default: 1 }),
      per_page: queryInteger({ min: 1, max: 48, default: 24 }),
    }),
  },
  replies: {
    200: z.object({
      tag: z.object({ id: Uuid, profileId: Uuid, name: z.string(), slug: z.string(), collectionUrl: z.string() }),
      creator: PublicAuthor,
      items: z.array(PostSummary),
      page: z.number().int(),
      perPage: z.number().int(),
      total: z.number().int(),
    }),
  },
  refusals: [tagNotFound, invalidRequest],
})
