import { z } from 'zod'
import { adminRequired } from './admin-only.ts'
import { attachmentQuota, uploadUnconfirmed, zipBytes } from './attachments.ts'
import { multipart } from './body.ts'
import { endpoint } from './endpoint.ts'
import { uploadIdempotency } from './idempotency.ts'
import { ImageOperation, inlineImageBytes } from './images.ts'
import { ImportedPost } from './imported-post.ts'
import { limit, limitsByAccountAndAddress } from './limit.ts'
import { AttachmentResult } from './owned-attachment.ts'
import {
  draftQuota,
  markdownTooComplex,
  paidContentRequired,
  paidPostRequired,
  postNotFound,
  publicationBlocked,
} from './posts.ts'
import { refusal } from './refusal.ts'
import { DateTime, queryInteger, trimmedText, Uuid } from './schemas.ts'
import { checksumMismatch, replayHeader, resourceGone, stagingLimit } from './uploads.ts'

// Bringing posts along from elsewhere: with their dates, slugs and images, and without notifying anyone.

/** How long posts can be added to an import, and the time for which its quotas are counted. */
export const importDays = 30

const Import = z
  .object({
    id: Uuid,
    source: z.string(),
    createdAt: DateTime,
    expiresAt: DateTime.meta({ description: 'Until then posts can be added.' }),
    left: z
      .object({ posts: z.number().int(), files: z.number().int(), fileBytes: z.number().int() })
      .meta({ description: `What you can still import within ${importDays} days.` }),
  })
  .meta({ id: 'Import' })

const PresentFiles = z
  .object({
    images: z.array(z.string()).meta({ description: 'The keys of inline images that were received.' }),
    hasCover: z.boolean(),
    attachments: z.array(z.string()).meta({ description: 'The SHA-256 of each ZIP file.' }),
  })
  .meta({ id: 'PresentFiles', description: 'Files that the post has already, or that are being checked.' })

const ImportResult = z
  .object({
    outcome: z.enum(['created', 'updated', 'unchanged']),
    postId: Uuid.nullable().meta({ description: 'Null in a dry run that would create it.' }),
    status: z.enum(['draft', 'published', 'withdrawn']),
    slug: z.string(),
    pagePath: z.string(),
    blockers: z
      .array(z.object({ code: z.string(), field: z.string(), message: z.string() }))
      .meta({ description: 'Why a post that should be published stays a draft.' }),
    redirects: z.array(z.string()).meta({ description: 'Paths of this site that lead to the post now.' }),
    files: PresentFiles,
  })
  .meta({ id: 'ImportResult' })
export type ImportResult = z.infer<typeof ImportResult>

export const importNotFound = refusal(
  'import-not-found',
  404,
  `You have no import with this id, or it was started over ${importDays} days ago.`,
)
export const postImportQuota = refusal(
  'post-import-quota',
  409,
  `This is more than one account can import within ${importDays} days. Ask the operator of the site.`,
  { left: Import.shape.left },
)
export const importedPostEdited = refusal(
  'imported-post-edited',
  409,
  'The post was edited here since it was imported. Send `overwrite` if your copy should replace it.',
  { postId: Uuid },
)
export const slugTaken = refusal('slug-taken', 409, 'Another of your posts has or had this slug.')

const common = { tag: 'Import', credential: 'owner-session', errors: 'problem' } as const
const ofImport = z.object({ importId: Uuid })
const ofPost = z.object({ importId: Uuid, postId: Uuid })

export const startImport = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/imports',
  summary: 'Start an import of posts from elsewhere',
  description:
    'Confirms once, for all posts of the import, that they are yours to publish and that what they say about how they were written is accurate. Nobody is notified of imported posts, and none is emailed. Imports have separate quotas: they do not count as drafts, uploads or publications of the day.',
  request: {
    body: z.strictObject({
      source: trimmedText(1, 100).meta({
        description: 'Where the posts come from, such as `ghost` or `my-old-site.example`.',
      }),
      attested: z.literal(true, 'must be true: confirm that these posts are yours and how they were written'),
      claimSitePaths: z.boolean().default(false).meta({
        description:
          'Redirect old paths without a prefix too, unless this site has its own page there. For administrators.',
      }),
    }),
  },
  replies: { 201: Import },
  refusals: [adminRequired],
  limits: limitsByAccountAndAddress('imports', { account: 50, address: 200, seconds: 86_400 }),
})

export const importPost = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/imports/{importId}/posts',
  summary: 'Import a post, or update one that was imported',
  description:
    'With its date, slug and old paths. The same `sourceId` again updates the post, unless it was edited here. Images are uploaded afterwards: refer to them as `image:KEY`. With `dryRun` everything is checked and nothing is saved.',
  request: {
    params: ofImport,
    query: z.object({ dryRun: z.enum(['true', 'false']).default('false') }),
    body: ImportedPost,
  },
  replies: { 200: ImportResult },
  refusals: [
    importNotFound,
    postImportQuota,
    importedPostEdited,
    slugTaken,
    draftQuota,
    markdownTooComplex,
    publicationBlocked,
    paidPostRequired,
    paidContentRequired,
  ],
  givesWay: true,
  limits: limitsByAccountAndAddress('imported-posts', { account: 3000, address: 6000, seconds: 600 }),
  maxBodyBytes: 2 * 1024 * 1024,
})

export const listImportedPosts = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/imported-posts',
  summary: 'List the posts that you imported',
  description:
    'By `sourceId`, with the files that they have: what an interrupted import still has to send. `nextCursor` is null at the end.',
  request: {
    query: z.object({
      cursor: z.string().max(2000).optional(),
      limit: queryInteger({ min: 1, max: 200, default: 200 }),
    }),
  },
  replies: {
    200: z.object({
      data: z.array(
        z
          .object({
            sourceId: z.string(),
            fingerprint: z.string().nullable(),
            postId: Uuid,
            status: z.enum(['draft', 'published', 'withdrawn']),
            slug: z.string(),
            pagePath: z.string(),
            importedAt: DateTime,
            redirects: z.array(z.string()),
            files: PresentFiles,
          })
          .meta({ id: 'ImportedPostEntry' }),
      ),
      nextCursor: z.string().nullable(),
    }),
  },
})

const files = {
  recovers: true,
  idempotency: uploadIdempotency,
  replyHeaders: replayHeader,
  limits: [
    limit('imported-files', { per: 'account', max: 3000, seconds: 600 }),
    limit('imported-files-by-address', { per: 'ip', max: 6000, seconds: 600 }),
  ],
} as const

export const importImage = endpoint({
  ...common,
  ...files,
  method: 'POST',
  path: '/api/v1/imports/{importId}/posts/{postId}/images',
  summary: 'Upload an image of an imported post',
  description:
    'Like `uploadPostImage`, but counted against the quota of imports, and without a revision: it does not make the post look edited. `key` is the KEY of `image:KEY`; without it, the image becomes the social preview image.',
  request: {
    params: ofPost,
    query: z.object({ key: z.string().max(64).optional() }),
    body: multipart({
      file: {
        field: 'file',
        maxBytes: inlineImageBytes,
        contentTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
      },
      fields: z.strictObject({}),
    }),
  },
  replies: { 200: ImageOperation, 202: ImageOperation },
  refusals: [importNotFound, postNotFound, postImportQuota, stagingLimit, resourceGone],
})

export const importAttachment = endpoint({
  ...common,
  ...files,
  method: 'POST',
  path: '/api/v1/imports/{importId}/posts/{postId}/attachments',
  summary: 'Upload a ZIP file of an imported post',
  description: 'Up to 10 MiB as one form, counted against the quota of imports.',
  request: {
    params: ofPost,
    body: multipart({
      file: { field: 'file', maxBytes: zipBytes, contentTypes: ['application/zip'] },
      fields: z.strictObject({
        description: trimmedText(0, 500).optional(),
        sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex'),
      }),
    }),
  },
  replies: { 202: AttachmentResult },
  refusals: [
    importNotFound,
    postNotFound,
    postImportQuota,
    attachmentQuota,
    paidPostRequired,
    checksumMismatch,
    resourceGone,
    uploadUnconfirmed,
  ],
})
