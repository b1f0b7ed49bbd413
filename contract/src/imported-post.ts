import { z } from 'zod'
import { PostDraft } from './post-fields.ts'
import { codePoints, DateTime, trimmedText } from './schemas.ts'

const SourceId = trimmedText(1, 300).meta({
  description: 'The id of the post where it comes from. Sending it again updates the same post.',
})

const Slug = z
  .string()
  .normalize()
  .refine(
    (slug) =>
      codePoints(slug) <= 200 && /^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(-[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*$/u.test(slug),
    'must be letters and digits with single hyphens in between',
  )
  .refine((slug) => slug === slug.toLowerCase(), 'must be in lower case')
  .meta({ openapi: { type: 'string', minLength: 1, maxLength: 200 } })

/** A path in its one spelling: percent-encoded as a browser sends it, without a slash at its end. */
export function normalPath(path: string): string | undefined {
  if (!/^\/[^/\\]/.test(path) || /[?#\s\p{Cc}]/u.test(path)) return undefined
  const { pathname } = new URL(path, 'http://host.invalid')
  const normal = pathname.replace(/\/+$/, '').replaceAll(/%[0-9a-f]{2}/gi, (encoded) => encoded.toUpperCase())
  return normal === '' || normal.includes('//') || normal.length > 300 ? undefined : normal
}

const OldPath = z
  .string()
  .max(300)
  .transform((path, context) => {
    const normal = normalPath(path)
    if (normal !== undefined) return normal
    const message = 'must be a path such as /2019/05/my-post, without a query'
    context.addIssue({ code: 'custom', params: { code: 'invalid_format' }, message })
    return z.NEVER
  })
  .meta({ openapi: { type: 'string', maxLength: 300 } })

/** A post of another site. */
export const ImportedPost = z
  .strictObject({
    ...PostDraft.omit({ creationAttested: true }).shape,
    sourceId: SourceId,
    status: z.enum(['draft', 'published']).meta({
      description:
        'A post that cannot be published yet stays a draft; the reply says why. It is never published free instead.',
    }),
    publishedAt: DateTime.optional().meta({ description: 'When it was first published. Required if it is published.' }),
    updatedAt: DateTime.optional().meta({ description: 'When it was last changed. By default as `publishedAt`.' }),
    slug: Slug.optional().meta({ description: 'By default made of the title.' }),
    oldPaths: z.array(OldPath).max(5).default([]).meta({
      description:
        'Where it was on its old site. `/@{handle}{path}` redirects to it; in an import with `claimSitePaths`, also the path itself.',
    }),
    fingerprint: z.string().max(100).optional().meta({
      description: 'A value by which you can tell later whether your copy has changed. `listImportedPosts` returns it.',
    }),
    overwrite: z.boolean().default(false).meta({
      description: 'Also if the post was edited here since it was imported. What it was stays among its versions.',
    }),
  })
  .meta({ id: 'ImportedPost' })
export type ImportedPost = z.output<typeof ImportedPost>
