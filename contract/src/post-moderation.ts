import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { DateTime, trimmedText, Uuid } from './schemas.ts'

// What administrators may do to a Post.

export const moderatedPostNotFound = refusal('post-not-found', 404, 'No Post that was ever public has this id.')

const ModeratedPost = z
  .object({
    postId: Uuid,
    status: z.enum(['published', 'withdrawn']),
    withdrawnByAdminAt: DateTime.nullable().meta({ description: 'While it is set, its author cannot publish it.' }),
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
  summary: 'Take a Post out of public sight, and keep its author from publishing it again',
  description: 'Whoever bought it keeps it. Once more changes nothing.',
})

export const restorePost = endpoint({
  ...moderation,
  path: '/api/v1/admin/posts/{postId}/restore',
  summary: 'Let the author of a Post publish it again',
  description: 'It stays withdrawn until they do. Where no administrator withdrew it, nothing changes.',
})
