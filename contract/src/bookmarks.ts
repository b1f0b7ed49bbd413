import { z } from 'zod'
import { PostSummary, PublicAuthor, publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { invalidRequest } from './errors.ts'
import { limitsByAccountAndAddress } from './limit.ts'
import { DateTime, queryInteger, Uuid } from './schemas.ts'

// Posts that a reader saved for later. Only the reader sees them.

const Bookmark = z
  .object({
    bookmarked: z.boolean(),
    bookmarkedAt: DateTime.nullable().meta({ description: 'When you saved it; null if you did not.' }),
  })
  .meta({ id: 'Bookmark' })

const BookmarkedPost = PostSummary.extend({
  author: PublicAuthor,
  publishedAt: DateTime,
  bookmarkedAt: DateTime,
}).meta({ id: 'BookmarkedPost' })
export type BookmarkedPost = z.infer<typeof BookmarkedPost>

const owner = { tag: 'Bookmarks', credential: 'owner-session', errors: 'problem' } as const
const bookmark = {
  ...owner,
  path: '/api/v1/posts/{postId}/bookmark',
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: Bookmark },
} as const
const changes = limitsByAccountAndAddress('bookmarks', { account: 500, address: 3000, seconds: 600 })

export const getBookmark = endpoint({
  ...bookmark,
  method: 'GET',
  summary: 'Check whether you saved a post',
  description: 'Also for a post that does not exist: you did not save it.',
})

export const addBookmark = endpoint({
  ...bookmark,
  method: 'PUT',
  summary: 'Save a post for later',
  description: 'Saving a post twice changes nothing. Only you see what you saved.',
  refusals: [publicPostNotFound],
  givesWay: true,
  limits: changes,
})

export const removeBookmark = endpoint({
  ...bookmark,
  method: 'DELETE',
  summary: 'Remove a post from those you saved',
  description: 'Removing one that you did not save changes nothing.',
  givesWay: true,
  limits: changes,
})

export const listBookmarks = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/bookmarks',
  summary: 'List the posts you saved, last saved first',
  description:
    'A post that is unpublished is left out, and is back when it is published again. A cursor stays valid: posts that you save meanwhile neither shift nor repeat what follows.',
  request: {
    query: z.object({
      limit: queryInteger({ min: 1, max: 48, default: 24 }),
      cursor: z.string().max(200).optional().meta({ description: 'The `nextCursor` of the previous page.' }),
    }),
  },
  replies: { 200: z.object({ data: z.array(BookmarkedPost), nextCursor: z.string().nullable() }) },
  refusals: [invalidRequest],
  limits: limitsByAccountAndAddress('bookmark-lists', { account: 300, address: 3000, seconds: 60 }),
})
