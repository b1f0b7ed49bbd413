import { z } from 'zod'
import { PostSummary, PublicAuthor } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { invalidRequest } from './errors.ts'
import { limitsByAccountAndAddress } from './limit.ts'
import { DateTime, queryInteger } from './schemas.ts'

const FollowedPost = PostSummary.extend({ author: PublicAuthor, publishedAt: DateTime }).meta({ id: 'FollowedPost' })
export type FollowedPost = z.infer<typeof FollowedPost>

export const listFollowedPosts = endpoint({
  method: 'GET',
  path: '/api/v1/following/posts',
  tag: 'Follows',
  summary: 'List the posts of the creators you follow, newest first',
  description:
    'By the time of their first publication. A cursor stays valid: posts that are published meanwhile neither shift nor repeat what follows.',
  credential: 'owner-session',
  request: {
    query: z.object({
      limit: queryInteger({ min: 1, max: 48, default: 24 }),
      cursor: z.string().max(200).optional().meta({ description: 'The `nextCursor` of the previous page.' }),
    }),
  },
  replies: { 200: z.object({ data: z.array(FollowedPost), nextCursor: z.string().nullable() }) },
  refusals: [invalidRequest],
  errors: 'h3',
  limits: limitsByAccountAndAddress('followed-posts', { account: 300, address: 3000, seconds: 60 }),
})
