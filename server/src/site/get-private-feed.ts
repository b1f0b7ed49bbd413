import { type getPrivateRss as declared, privateFeedNotFound } from '@pennypost/contract/private-feed'
import { oneLine } from '@pennypost/site/clean-text'
import { feedTokenHash } from '../access/private-feed/feed-token.ts'
import {
  type BoughtPost,
  findFeedOwner,
  listBought,
  readBoughtPosts,
} from '../access/private-feed/private-feed-store.ts'
import { etagOf } from '../platform/http/conditional-request.ts'
import { refuse } from '../platform/http/refuse.ts'
import { type FeedItem, feedItem } from './feed.ts'
import { type FeedFileName, formats } from './get-feed.ts'
import type { Handler } from './services.ts'

// The purchases of one account, for anyone who has its secret URL. The feed itself does not contain that URL.

const privateHeaders = { 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' }

export const privateFeed =
  (file: FeedFileName): Handler<typeof declared> =>
  async ({ pool }, { params, origin }) => {
    const owner = (await findFeedOwner(pool, feedTokenHash(params.token))) ?? refuse(privateFeedNotFound)
    const bought = await listBought(pool, owner.id)
    const title = `Bought by ${oneLine(owner.name)}`
    const write = async () => {
      const ids = bought.map(({ post_id }) => post_id)
      return formats[file]({
        title,
        description: 'Everything you bought, in full. Keep this address secret: anyone who has it can read the feed.',
        homeUrl: `${origin}/library`,
        id: `urn:uuid:${owner.id}`,
        updated: bought[0]?.granted_at ?? new Date(0),
        items: (await readBoughtPosts(pool, owner.id, ids)).map((post) => boughtItem(post, origin)),
      })
    }
    const etag = etagOf(file, origin, title, JSON.stringify(bought))
    return { status: 200, headers: { ...privateHeaders, etag }, body: write }
  }

/** An item is dated by its purchase, so that it is new in the feed reader. */
function boughtItem(post: BoughtPost, origin: string): FeedItem {
  const { granted_at: published } = post
  const item = feedItem({ ...post, free_html: post.whole_html, has_paywall: false }, origin)
  return { ...item, published, updated: new Date(Math.max(item.updated.getTime(), published.getTime())) }
}
