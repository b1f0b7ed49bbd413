import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { trimmedText, Uuid } from './schemas.ts'

/** How many of each kind are suggested. */
export const maxSuggestions = 5

const ofKind = <Shape extends z.ZodRawShape>(shape: Shape) => z.array(z.object(shape)).max(maxSuggestions)

export const suggestSearches = endpoint({
  fromReplica: 'always',
  method: 'GET',
  path: '/api/search/suggestions',
  tag: 'Discovery',
  summary: 'Suggest posts, creators and tags while a reader types',
  description:
    'At most five of each: those in which a word starts with `q`, then those that differ from it by a typo. Case and accents are ignored. Only titles, names and handles are searched, never the text of a post. Creators are authors of at least one public post.',
  credential: 'none',
  request: { query: z.object({ q: trimmedText(1, 100) }) },
  replies: {
    200: z.object({
      posts: ofKind({
        id: Uuid,
        title: z.string(),
        url: z.string().meta({ description: 'Never changes.' }),
        pageUrl: z.string().meta({ description: 'The canonical URL of its page.' }),
      }),
      creators: ofKind({ id: Uuid, handle: z.string(), name: z.string(), avatarUrl: z.string().nullable() }),
      tags: ofKind({ id: Uuid, name: z.string(), slug: z.string(), url: z.string() }),
    }),
  },
  errors: 'h3',
  cache: { seconds: 60 },
  limits: [limit('search-suggestions', { per: 'ip', max: 1200, seconds: 60 })],
})
