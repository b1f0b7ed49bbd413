import { z } from 'zod'
import { Id, Notice, Prices, pricesOf } from '../fields.ts'
import { isFree } from '../post-text.ts'
import { reads, tool } from '../tool.ts'
import { untrustedNotice } from '../untrusted.ts'

export const quotePost = tool({
  name: 'quote_post',
  title: 'Price of a post',
  description:
    'What a post costs now, in each currency, and why one is not offered. Costs nothing and promises nothing; buy_post gets the offer that can be paid.',
  annotations: reads,
  input: z.strictObject({ postId: Id }),
  output: z.object({
    notice: Notice,
    postId: z.string(),
    isFree: z.boolean(),
    prices: Prices,
    usd: z.string().nullable(),
    unavailable: z.array(z.object({ asset: z.string(), reason: z.string() })),
    accessUrl: z.string().describe('The same by HTTP, with x402.'),
    untrusted: z.object({ title: z.string() }),
  }),
  async run({ pennypost, signal }, { postId }) {
    const post = await pennypost.posts.get(postId, { signal })
    const { paymentOffers: offers, effectivePrice } = post
    const data = {
      notice: untrustedNotice,
      postId: post.id,
      isFree: isFree(post),
      prices: pricesOf(offers),
      usd: effectivePrice.usd,
      unavailable: offers.flatMap(({ asset, status, reason }) =>
        status === 'ready' ? [] : [{ asset, reason: reason ?? status }],
      ),
      accessUrl: post.accessUrl,
      untrusted: { title: post.title },
    }
    return { data }
  },
})
