import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { DateTime, trimmedText, Uuid } from './schemas.ts'

// Administrators' actions on a post.

export const moderatedPostNotFound = refusal('post-not-found', 404, 'No post that was ever published has this id.')

const ModeratedPost = z
  .object({
    postId: Uuid,
    status: z.enum(['published', 'withdrawn']),
    withdrawnByAdminAt: DateTime.nullable().meta({
      description: 'While this is set, the author cannot publish the post.',
    }),
  })
  .meta({ id: 'ModeratedPost' })

const moderation = {
  ...adminOnly,
  method: 'POST',
  request: {
    params: z.object({ postId: Uuid }),
    body: z.strictObject({ note: trimmedText(1, 2000).optional() }).prefault({}),
  },
  replies: { 200: ModeratedPost },
  refusals: [adminRequired, moderatedPostNotFound],
} as const

export const barPost = endpoint({
  ...moderation,
  path: '/api/v1/admin/posts/{postId}/withdraw',
  summary: 'Unpublish a post and prevent its author from publishing it again',
  description: 'Buyers keep access. Repeating this changes nothing.',
})

export const restorePost = endpoint({
  ...moderation,
  path: '/api/v1/admin/posts/{postId}/restore',
  summary: 'Allow the author of a post to publish it again',
  description:
    'It stays unpublished until the author publishes it. Nothing changes if no administrator unpublished it.',
})
