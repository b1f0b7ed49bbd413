import { z } from 'zod'
import { commentDeleted, commentNotFound } from './comments.ts'
import { PublicAuthor, publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { limit, limitsByAccountAndAddress } from './limit.ts'
import { Reaction, ReactionSummary } from './reaction-summary.ts'
import { DateTime, queryInteger, Uuid } from './schemas.ts'

const Reactor = z.object({ profile: PublicAuthor, reaction: Reaction, created_at: DateTime }).meta({ id: 'Reactor' })

const Reactions = z
  .object({
    summary: ReactionSummary,
    reaction: Reaction.nullable(),
    reactors: z.array(Reactor).meta({ description: 'Newest first. Empty unless the request names a `reaction`.' }),
    pagination: z
      .object({ limit: z.number().int(), offset: z.number().int(), total: z.number().int(), hasMore: z.boolean() })
      .nullable(),
  })
  .meta({ id: 'Reactions' })

/** 40 requests per 10 seconds per account, or per IP address without one. */
const reactionReads = limit('reaction-reads', { per: 'account-or-ip', max: 40, seconds: 10 })

const query = z.object({
  reaction: Reaction.optional(),
  limit: queryInteger({ min: 1, max: 100, default: 40 }),
  offset: queryInteger({ min: 0, max: 2_147_483_647, default: 0 }),
})
const read = {
  method: 'GET',
  tag: 'Discussion',
  errors: 'h3',
  description: 'With `reaction`, also lists the people who chose it, in pages.',
  replies: { 200: Reactions },
  limits: [reactionReads],
  retryHint: 'body',
} as const
const write = {
  method: 'PUT',
  tag: 'Discussion',
  errors: 'h3',
  credential: 'owner-session',
  givesWay: true,
  limits: limitsByAccountAndAddress('reactions', { account: 1000, address: 6000, seconds: 600 }),
} as const
const body = z.strictObject({ reaction: Reaction.nullable() })
const saved = { 200: z.object({ summary: ReactionSummary }) }

const ofPost = z.object({ postId: Uuid })
const ofComment = z.object({ commentId: Uuid })

export const getPostReactions = endpoint({
  ...read,
  path: '/api/v1/posts/{postId}/reactions',
  summary: 'Get the reactions to a post, and your own',
  credential: 'owner-session',
  request: { params: ofPost, query },
  refusals: [publicPostNotFound],
})

export const getPublicPostReactions = endpoint({
  fromReplica: 'always',
  ...read,
  path: '/api/posts/{postId}/reactions',
  summary: 'Get the reactions to a post',
  credential: 'none',
  request: { params: ofPost, query },
  refusals: [publicPostNotFound],
})

export const getCommentReactions = endpoint({
  ...read,
  path: '/api/v1/comments/{commentId}/reactions',
  summary: 'Get the reactions to a comment, and your own',
  credential: 'owner-session',
  request: { params: ofComment, query },
  refusals: [commentNotFound],
})

export const getPublicCommentReactions = endpoint({
  fromReplica: 'always',
  ...read,
  path: '/api/comments/{commentId}/reactions',
  summary: 'Get the reactions to a comment',
  credential: 'none',
  request: { params: ofComment, query },
  refusals: [commentNotFound],
})

export const reactToPost = endpoint({
  ...write,
  path: '/api/v1/posts/{postId}/reactions',
  summary: 'React to a post, or remove your reaction with null',
  description: 'An account has at most one reaction to a post. Sending the same one again changes nothing.',
  request: { params: ofPost, body },
  replies: saved,
  refusals: [publicPostNotFound],
})

export const reactToComment = endpoint({
  ...write,
  path: '/api/v1/comments/{commentId}/reactions',
  summary: 'React to a comment, or remove your reaction with null',
  description: 'An account has at most one reaction to a comment. Sending the same one again changes nothing.',
  request: { params: ofComment, body },
  replies: saved,
  refusals: [commentNotFound, commentDeleted],
})
