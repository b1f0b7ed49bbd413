import { z } from 'zod'
import { PublicAuthor } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { codePoints, queryInteger } from './schemas.ts'

const query = z
  .object({
    q: z
      .string()
      .max(200)
      .transform((text) => text.trim().replace(/^@/, '').normalize('NFC'))
      .meta({ openapi: { type: 'string', description: 'The beginning of a handle, or of a word in a name.' } }),
    mode: z.enum(['prefix', 'exact']).default('prefix'),
    limit: queryInteger({ min: 1, max: 10, default: 10 }),
  })
  .superRefine(({ q, mode }, context) => {
    const fits =
      mode === 'exact'
        ? /^[A-Za-z0-9_]{1,30}$/.test(q)
        : /^[\p{L}\p{M}\p{Nd}_]*$/u.test(q) && codePoints(q) >= 2 && codePoints(q) <= 30
    if (fits) return
    const message =
      mode === 'exact'
        ? 'must be 1 to 30 ASCII letters, digits or underscores'
        : 'must be 2 to 30 letters, digits or underscores'
    context.addIssue({ code: 'custom', path: ['q'], params: { code: 'invalid_format' }, message })
  })

export type MentionQuery = z.output<typeof query>

const suggestions = {
  method: 'GET',
  tag: 'Discussion',
  summary: 'Suggest people to mention',
  description:
    'In `prefix` mode, people whose handle or a word of whose name starts with `q`, ignoring case but not accents. In `exact` mode, the person with that handle.',
  credential: 'none',
  request: { query },
  replies: { 200: z.object({ items: z.array(PublicAuthor) }) },
  errors: 'h3',
} as const

export const suggestMentions = endpoint({ ...suggestions, path: '/api/v1/profiles/mention-suggestions' })
export const suggestMentionsPublicly = endpoint({ ...suggestions, path: '/api/profiles/mention-suggestions' })
