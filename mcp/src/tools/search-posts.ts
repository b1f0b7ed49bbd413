import { unitsOf } from '@pennypost/sdk'
import { z } from 'zod'
import { AssetName, Money, Notice, Page, Prices, pageSize, pricesOf } from '../fields.ts'
import { reads, tool } from '../tool.ts'
import { untrustedNotice } from '../untrusted.ts'

export const searchPosts = tool({
  name: 'search_posts',
  title: 'Search posts',
  description:
    'Find published posts by words, price or language. Use it first when you need writing on a topic. Costs nothing, needs no account. Read a result with read_post.',
  annotations: reads,
  input: z.strictObject({
    query: z.string().max(200).optional().describe('All words must occur. Empty: everything.'),
    sort: z.enum(['recommended', 'newest', 'oldest', 'popular', 'price_asc', 'price_desc']).optional(),
    access: z.enum(['all', 'free', 'paid']).optional(),
    maxPrice: Money.optional(),
    asset: AssetName.optional().describe('Only what is sold for it.'),
    language: z.string().max(35).optional(),
    category: z.string().max(100).optional(),
    page: Page,
    limit: pageSize(20),
  }),
  output: z.object({
    notice: Notice,
    total: z.number(),
    page: z.number(),
    posts: z.array(
      z.object({
        postId: z.string(),
        url: z.string(),
        prices: Prices,
        language: z.string().nullable(),
        readingMinutes: z.number().nullable(),
        zipFiles: z.number(),
        untrusted: z.object({ title: z.string(), description: z.string(), preview: z.string() }),
      }),
    ),
  }),
  async run({ pennypost, signal }, { query, maxPrice, limit = 10, page = 1, asset, ...filters }) {
    const priced = maxPrice && {
      asset: maxPrice.asset,
      max_amount_atomic: unitsOf(maxPrice.asset, maxPrice.amount),
    }
    const search = { ...filters, q: query, asset, ...priced, page, per_page: limit }
    const { body } = await pennypost.operations.listPublicPosts({ query: search }, { signal })
    const posts = body.data.slice(0, limit).map((post) => ({
      postId: post.id,
      url: post.contentUrl,
      prices: pricesOf(post.paymentOffers),
      language: post.language,
      readingMinutes: post.readingMinutes,
      zipFiles: post.attachments.length,
      untrusted: {
        title: post.title,
        description: post.description,
        preview: post.freePreview.slice(0, 300),
      },
    }))
    return { data: { notice: untrustedNotice, total: body.total, page: body.page, posts } }
  },
})
