import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { validation } from './errors.ts'
import { keyIdempotency } from './idempotency.ts'
import { limit, limitsByAccountAndAddress } from './limit.ts'
import { CreationMethod, Markdown, PostDraft, PostPatch, Revision } from './post-fields.ts'
import { refusal } from './refusal.ts'
import { DateTime, queryInteger, Uuid } from './schemas.ts'

const EffectivePrice = z
  .object({
    raw: z.string().nullable(),
    xno: z.string().nullable(),
    currency: z.literal('XNO'),
    unit: z.literal('raw'),
    decimals: z.literal(30),
    usd: z.string().nullable().meta({
      description:
        'The price in US dollars at the current exchange rate, as a decimal with up to six digits after the point. Null without a rate from the last hour.',
    }),
  })
  .meta({ id: 'EffectivePrice' })

export const Offer = z
  .object({
    asset: z.enum(['XNO', 'USDC']),
    network: z.string(),
    amountAtomic: z.string().nullable(),
    amount: z.string().nullable(),
    feeAtomic: z.string().nullable(),
    status: z.enum(['ready', 'below_minimum', 'rate_stale', 'address_missing', 'rail_off']),
    reason: z.string().nullable(),
    minimumAtomic: z.string().nullable(),
    derived: z
      .object({
        from: z.object({ asset: z.enum(['XNO', 'USDC']), amountAtomic: z.string() }),
        rate: z.string(),
        providers: z.array(z.object({ pair: z.string(), price: z.string(), at: DateTime })),
      })
      .nullable(),
    quoteUrl: z.string().meta({ description: 'Where to pay: its 402 lists this offer only.' }),
  })
  .meta({ id: 'PaymentOffer' })
export type Offer = z.infer<typeof Offer>

/** A ZIP file that readers of a post can download. */
export const Attachment = z
  .object({
    id: Uuid,
    filename: z.string(),
    sizeBytes: z.number().int(),
    description: z.string(),
    sha256: z.string(),
    mimeType: z.literal('application/zip'),
    downloadUrl: z.string(),
    contents: z.array(z.string()).nullable(),
  })
  .meta({ id: 'Attachment' })
export type Attachment = z.infer<typeof Attachment>

const Blocker = z.object({ code: z.string(), field: z.string(), message: z.string() })
const PostTag = z
  .object({ id: Uuid, profileId: Uuid, name: z.string(), collectionUrl: z.string() })
  .meta({ id: 'PostTag' })

/** The publishing key that wrote a text. */
export const WrittenByKey = z
  .object({ keyId: z.string(), label: z.string().nullable(), status: z.enum(['active', 'expired', 'revoked']) })
  .meta({ id: 'WrittenByKey' })
export type WrittenByKey = z.infer<typeof WrittenByKey>

/** A post as its author sees it. */
export const Post = z
  .object({
    id: Uuid,
    status: z.enum(['draft', 'published', 'withdrawn']),
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    freeContentMarkdown: z.string(),
    paidContentMarkdown: z.string(),
    enablePaywall: z.boolean(),
    priceCurrency: z.enum(['XNO', 'USDC']).nullable(),
    priceAtomic: z.string().nullable(),
    priceRaw: z.string().nullable(),
    effectivePrice: EffectivePrice,
    paymentOffers: z.array(Offer),
    category: z.string().nullable(),
    language: z.string().nullable(),
    creationMethod: CreationMethod.nullable(),
    creationDetails: z.string().nullable(),
    creationAttested: z.boolean(),
    tags: z.array(PostTag),
    commentsEnabled: z.boolean(),
    agentCommentsEnabled: z.boolean(),
    searchPaidContent: z.boolean(),
    math: z.boolean(),
    canonicalUrl: z.string().nullable(),
    ogImageUrl: z.string().nullable(),
    attachments: z.array(Attachment),
    createdAt: DateTime,
    updatedAt: DateTime,
    writtenByKey: WrittenByKey.nullable().meta({
      description: 'The publishing key that changed it last. Null if that was you in a browser.',
    }),
    publishedAt: DateTime.nullable(),
    importedAt: DateTime.nullable().meta({
      description: 'When it was imported. Its `publishedAt` is what its author said then.',
    }),
    scheduledFor: DateTime.nullable().meta({
      description: 'When it will be published, if its author has scheduled that.',
    }),
    withdrawnAt: DateTime.nullable(),
    contentUrl: z.string(),
    accessUrl: z.string(),
    figures: z
      .object({
        readers: z.number().int(),
        paywallViews: z.number().int(),
        sales: z.number().int(),
        comments: z.number().int(),
      })
      .meta({ id: 'PostFigures', description: 'Counted since the post was created. Its statistics list them by day.' }),
    blockers: z.array(Blocker),
  })
  .meta({ id: 'Post' })
export type Post = z.infer<typeof Post>

export const postNotFound = refusal('post-not-found', 404, 'You have no post with this id.')
export const postRevisionRequired = refusal(
  'post-revision-required',
  428,
  'Send the updatedAt that you last read as X-Post-Revision.',
)
export const revisionConflict = refusal('revision-conflict', 409, 'The post has changed since you read it.', {
  currentRevision: DateTime,
})
export const postState = refusal('post-state', 409, 'The status of the post does not allow this.')
export const financialHistoryRetained = refusal(
  'financial-history-retained',
  409,
  'Someone was quoted a price or paid for this post, so it cannot be deleted. Unpublish it instead.',
)
export const profileIncomplete = refusal(
  'profile-incomplete',
  422,
  'Choose a name and a handle before you publish or comment.',
  {
    errors: validation.details.errors,
  },
)
export const publicationBlocked = refusal('publication-blocked', 422, 'This post is not ready to be published.', {
  errors: validation.details.errors,
})
// Requirements for posts with ZIP files.
export const paidPostRequired = refusal('paid-post-required', 422, 'Only paid posts can have ZIP files.', {
  errors: validation.details.errors,
})
export const paidContentRequired = refusal('paid-content-required', 422, 'A post with ZIP files needs paid content.', {
  errors: validation.details.errors,
})
export const attachmentsUnresolved = refusal(
  'attachments-unresolved',
  409,
  'Some ZIP files are neither ready nor removed. Wait for them, or remove them.',
)
export const draftQuota = refusal(
  'draft-quota',
  409,
  'Your drafts use all the space of your account. Publish or delete some.',
  { maxDrafts: z.number().int(), maxDraftBytes: z.number().int() },
)
export const markdownTooComplex = refusal(
  'markdown-too-complex',
  422,
  'This text takes too long to render. Simplify it.',
)

const publishing = { tag: 'Posts', credential: 'publishing-key', errors: 'problem' } as const
const params = z.object({ postId: Uuid })
// Optional here because the handler refuses a missing header with 428.
const revisionHeader = z.object({ 'x-post-revision': Revision.optional() })

// Two texts of 200,000 characters, at most four bytes each, and room for JSON's escapes.
const postBytes = 2 * 1024 * 1024

export const createPost = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/posts',
  summary: 'Create a draft',
  description:
    'Only the title is required. Nobody else sees the draft until it is published. `blockers` in the reply says what is still missing.',
  request: { body: PostDraft },
  replies: { 201: Post },
  // A replay can name a post that has been deleted since.
  refusals: [markdownTooComplex, draftQuota, postNotFound],
  idempotency: keyIdempotency,
  givesWay: true,
  limits: limitsByAccountAndAddress('drafts', { account: 600, address: 3000, seconds: 600 }),
  maxBodyBytes: postBytes,
})

export const listPosts = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/posts',
  summary: 'List your posts, most recently changed first',
  description:
    'Drafts, published and unpublished posts. Filter them with `status`: `scheduled` lists those with a `scheduledFor`, the next one first. They are listed as drafts too.',
  request: {
    query: z.object({
      status: z.enum(['draft', 'scheduled', 'published', 'withdrawn']).optional(),
      page: queryInteger({ min: 1, max: 1000, default: 1 }),
      per_page: queryInteger({ min: 1, max: 48, default: 12 }),
    }),
  },
  replies: {
    200: z.object({ data: z.array(Post), total: z.number().int(), page: z.number().int(), perPage: z.number().int() }),
  },
})

export const getPost = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/posts/{postId}',
  summary: 'Get one of your posts',
  description: 'Send its `updatedAt` as `X-Post-Revision` when you change the post.',
  request: { params },
  replies: { 200: Post },
  refusals: [postNotFound],
})

export const updatePost = endpoint({
  ...publishing,
  method: 'PATCH',
  path: '/api/v1/posts/{postId}',
  summary: 'Change a post',
  description:
    'Fields that are left out keep their value. `tags` replaces all tags. A published post must still meet the conditions for publishing.',
  request: { params, headers: revisionHeader, body: PostPatch },
  replies: { 200: Post },
  refusals: [
    postNotFound,
    postRevisionRequired,
    revisionConflict,
    publicationBlocked,
    paidPostRequired,
    paidContentRequired,
    draftQuota,
    markdownTooComplex,
  ],
  givesWay: true,
  limits: limitsByAccountAndAddress('saves', { account: 1200, address: 6000, seconds: 600 }),
  maxBodyBytes: postBytes,
})

export const deletePost = endpoint({
  ...publishing,
  method: 'DELETE',
  path: '/api/v1/posts/{postId}',
  summary: 'Delete a draft',
  description:
    'Only a draft that nobody was quoted a price for can be deleted. Send its `updatedAt` as `X-Post-Revision`.',
  request: { params, headers: revisionHeader },
  replies: { 200: z.object({ id: Uuid, deleted: z.literal(true) }) },
  refusals: [postNotFound, postRevisionRequired, revisionConflict, postState, financialHistoryRetained],
})

export const previewMarkdown = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/markdown-preview',
  summary: 'Render Markdown as readers will see it',
  description:
    'Nothing is saved. Images are taken from the post `postId`; images that it does not have are left out. Footnotes may be in its other part, as it was last saved.',
  request: {
    body: z.strictObject({
      markdown: Markdown,
      postId: Uuid.optional(),
      part: z.enum(['free', 'paid']).default('free').meta({ description: 'Which part of the post this is.' }),
      math: z.boolean().optional().meta({ description: 'Whether it may have formulas. By default as the post.' }),
    }),
  },
  replies: { 200: z.object({ html: z.string().meta({ description: 'Sanitized.' }) }) },
  refusals: [postNotFound, markdownTooComplex],
  limits: [limit('previews', { per: 'account', max: 600, seconds: 600 })],
  maxBodyBytes: postBytes,
})

export const listTags = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/tags',
  summary: 'List your tags, used or not',
  description: '`postCount` counts your posts of any status. A tag that no post uses stays in the list.',
  replies: {
    200: z.object({
      tags: z.array(z.object({ id: Uuid, name: z.string(), slug: z.string(), postCount: z.number().int() })),
    }),
  },
})
