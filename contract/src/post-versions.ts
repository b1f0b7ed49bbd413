import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { postNotFound, WrittenByKey } from './posts.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'

export const versionNotFound = refusal(
  'version-not-found',
  404,
  'The post has no version with this id. Old versions are deleted after a while.',
)

const PostVersionSummary = z.object({
  id: Uuid,
  kind: z.enum(['edit', 'publish']).meta({
    description: '`edit` is how the post was before more was written, `publish` how it was published.',
  }),
  title: z.string(),
  characters: z.number().int().meta({ description: 'The length of both texts.' }),
  createdAt: DateTime.meta({ description: 'When the post was like this.' }),
  writtenByKey: WrittenByKey.nullable().meta({
    description: 'The publishing key that had changed the post last. Null if that was you in a browser.',
  }),
})
export type PostVersionSummary = z.infer<typeof PostVersionSummary>

const PostVersion = PostVersionSummary.extend({
  description: z.string(),
  freeContentMarkdown: z.string(),
  paidContentMarkdown: z.string(),
}).meta({ id: 'PostVersion' })
export type PostVersion = z.infer<typeof PostVersion>

const publishing = { tag: 'Posts', credential: 'publishing-key', errors: 'problem' } as const

export const listPostVersions = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/posts/{postId}/versions',
  summary: 'List earlier versions of a post, newest first',
  description:
    'One version is kept for every five minutes of writing by you or by one publishing key, and for each time the post was published: at most 50, and at most 4 MB of text. They are deleted with the post.',
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: z.object({ versions: z.array(PostVersionSummary.meta({ id: 'PostVersionSummary' })) }) },
  refusals: [postNotFound],
})

export const getPostVersion = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/posts/{postId}/versions/{versionId}',
  summary: 'Get an earlier version of a post',
  description: 'To restore it, change the post to its texts.',
  request: { params: z.object({ postId: Uuid, versionId: Uuid }) },
  replies: { 200: PostVersion },
  refusals: [postNotFound, versionNotFound],
})
