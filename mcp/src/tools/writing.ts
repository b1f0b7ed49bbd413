import type { DraftInput, Post } from '@pennypost/sdk'
import { z } from 'zod'
import { Id, Money, Page, pageSize, wholeCoins } from '../fields.ts'
import { readsOwn, ToolError, tool } from '../tool.ts'

const Blockers = z.array(z.object({ field: z.string(), message: z.string() }))

const OwnPost = z.object({
  postId: z.string(),
  status: z.string(),
  url: z.string(),
  revision: z.string(),
  scheduledFor: z.string().nullable(),
  blockers: Blockers.describe('What publishing still needs.'),
})

const ownPost = (post: Post) => ({
  postId: post.id,
  status: post.status,
  url: post.contentUrl,
  revision: post.updatedAt,
  scheduledFor: post.scheduledFor,
  blockers: post.blockers.map(({ field, message }) => ({ field, message })),
})

const markdown = z.string().max(400_000).optional()

export const saveDraft = tool({
  name: 'save_draft',
  title: 'Save a draft',
  description:
    'Write a post: without postId a new draft, with it a change of an existing post (a published one changes for readers immediately). Nobody sees a draft until publish. creationMethod must say how it was really made; set creationAttested only if the user confirms it.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  scope: 'publish',
  input: z.strictObject({
    postId: Id.optional(),
    revision: z.string().max(64).optional().describe('Refuse if the post changed since.'),
    title: z.string().min(1).max(200).optional(),
    description: z.string().max(500).optional(),
    freeMarkdown: markdown.describe('What everyone can read.'),
    paidMarkdown: markdown.describe('What buyers read.'),
    price: Money.nullable().optional().describe('null: free'),
    category: z.string().max(40).optional(),
    language: z.string().max(35).optional().describe('BCP 47'),
    tags: z.array(z.string().max(64)).max(10).optional(),
    creationMethod: z.enum(['human', 'ai_assisted', 'ai_generated', 'autonomous_agent']).optional(),
    creationAttested: z.boolean().optional(),
  }),
  output: OwnPost,
  async run({ pennypost, signal }, { postId, revision, freeMarkdown, paidMarkdown, price, ...rest }) {
    const changes = {
      ...rest,
      freeContentMarkdown: freeMarkdown,
      paidContentMarkdown: paidMarkdown,
      ...(price === null ? { enablePaywall: false } : { price }),
    } as Omit<DraftInput, 'title'> & { title?: string }
    if (postId === undefined) {
      if (changes.title === undefined) throw new ToolError('A new draft needs a title.')
      return { data: ownPost(await pennypost.drafts.create({ ...changes, title: changes.title }, { signal })) }
    }
    const updatedAt = revision ?? (await pennypost.drafts.get(postId, { signal })).updatedAt
    return { data: ownPost(await pennypost.drafts.update({ id: postId, updatedAt }, changes, { signal })) }
  },
})

// Enough to see how it looks. The whole HTML of a long post would fill an agent's context.
const previewCharacters = 20_000

export const preview = tool({
  name: 'preview',
  title: 'Preview Markdown',
  description:
    'See the sanitized HTML that readers get for Markdown, to check tables, images and footnotes. Saves nothing.',
  annotations: readsOwn,
  scope: 'publish',
  input: z.strictObject({
    markdown: z.string().max(400_000),
    postId: Id.optional().describe('Whose images it shows.'),
  }),
  output: z.object({ html: z.string(), isCut: z.boolean() }),
  async run({ pennypost, signal }, { markdown, postId }) {
    const html = await pennypost.drafts.preview(markdown, postId, { signal })
    return { data: { html: html.slice(0, previewCharacters), isCut: html.length > previewCharacters } }
  },
})

export const publish = tool({
  name: 'publish',
  title: 'Publish a draft',
  description:
    'Make a draft public, now or at publishAt. Followers are notified and, unless emailSubscribers is false, subscribers are emailed, which cannot be taken back: ask the user first. If something is missing, the reply says what.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  scope: 'publish',
  input: z.strictObject({
    postId: Id,
    publishAt: z.string().max(40).optional().describe('ISO 8601'),
    emailSubscribers: z.boolean().optional(),
  }),
  output: OwnPost.extend({ emailSubscribers: z.string() }),
  async run({ pennypost, signal }, { postId, publishAt, emailSubscribers }) {
    const published = await pennypost.drafts.publish(postId, { publishAt, emailSubscribers, signal })
    return { data: { ...ownPost(published), emailSubscribers: published.emailSubscribers } }
  },
})

export const unpublish = tool({
  name: 'unpublish',
  title: 'Unpublish a post',
  description: 'Take one of your posts off the site. Buyers keep it. publish brings it back.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  scope: 'publish',
  input: z.strictObject({ postId: Id }),
  output: OwnPost,
  async run({ pennypost, signal }, { postId }) {
    return { data: ownPost(await pennypost.posts.unpublish(postId, { signal })) }
  },
})

export const listMyPosts = tool({
  name: 'list_my_posts',
  title: 'Your posts',
  description:
    'List your own posts and drafts, last changed first, with readers and sales. Pass postId to get the Markdown of one, to change it.',
  annotations: readsOwn,
  scope: 'publish',
  input: z.strictObject({
    postId: Id.optional(),
    status: z.enum(['draft', 'published', 'withdrawn']).optional(),
    page: Page,
    limit: pageSize(40),
  }),
  output: z.object({
    total: z.number(),
    posts: z.array(
      OwnPost.extend({
        title: z.string(),
        price: z.string().nullable(),
        readers: z.number(),
        sales: z.number(),
        comments: z.number(),
        freeMarkdown: z.string().optional(),
        paidMarkdown: z.string().optional(),
      }),
    ),
  }),
  async run({ pennypost, signal }, { postId, status, page = 1, limit = 20 }) {
    const listed = (post: Post) => ({
      ...ownPost(post),
      title: post.title,
      price: post.priceCurrency && `${wholeCoins(post.priceCurrency, post.priceAtomic)} ${post.priceCurrency}`,
      readers: post.figures.readers,
      sales: post.figures.sales,
      comments: post.figures.comments,
    })
    if (postId !== undefined) {
      const post = await pennypost.drafts.get(postId, { signal })
      const { freeContentMarkdown: freeMarkdown, paidContentMarkdown: paidMarkdown } = post
      return { data: { total: 1, posts: [{ ...listed(post), freeMarkdown, paidMarkdown }] } }
    }
    const { body } = await pennypost.operations.listPosts({ query: { status, page, per_page: limit } }, { signal })
    return { data: { total: body.total, posts: body.data.slice(0, limit).map(listed) } }
  },
})
