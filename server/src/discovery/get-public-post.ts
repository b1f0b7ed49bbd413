import { type getPublicPost as declared, PostDetail, publicPostNotFound } from '@pennypost/contract/discovery'
import { Written } from '@pennypost/contract/endpoint'
import { summaryView } from '../discussion/reaction-view.ts'
import { refuse } from '../platform/http/refuse.ts'
import { jsonWriter } from '../platform/http/reply-writer.ts'
import { resolveImages } from '../posts/markdown/images.ts'
import type { PricingParts } from '../posts/post-view.ts'
import { tippingView } from '../profiles/profile-view.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { disclosureHeader } from './ai-disclosure.ts'
import { authorView, postSummary } from './post-summary.ts'
import { pricingState } from './pricing-state.ts'
import { findPublicPost, type PublicPostDetail } from './public-post-store.ts'
import type { Handler } from './services.ts'

const toJson = jsonWriter(PostDetail)

/** Replies with a post. The text is written again only after something in it has changed. */
export const getPublicPost: Handler<typeof declared> = async (services, { params, origin, ip, visit }) => {
  const { postStamps, postReplies } = services.discovery
  const stamped = (await postStamps.post(params.postId)) ?? refuse(publicPostNotFound)
  const written = await postReplies.get(
    `json ${origin} ${pricingState(services)}`,
    stamped,
    (reader) => findPublicPost(reader, params.postId),
    (post) => {
      const text = toJson(detailView(services, post, origin))
      const headers = disclosureHeader(post.creation_method)
      // The text, and its bytes from the second reply on.
      return { headers, body: new Written<PostDetail>(text), bytes: 3 * text.length }
    },
  )
  const { headers, body } = written ?? refuse(publicPostNotFound)
  services.readers.note(params.postId, { ip, visit })
  return { status: 200, headers, body }
}

const detailView = (parts: PricingParts, post: PublicPostDetail, origin: string): PostDetail => ({
  ...postSummary(parts, post, origin),
  freeContentMarkdown: post.free_markdown,
  freeContentHtml: resolveImages(post.free_html, imageUrls(post.image_paths, origin)),
  author: authorView(post, post.name, origin),
  category: post.category,
  publishedAt: post.published_at.toISOString(),
  commentPolicy: { commentsEnabled: post.comments_enabled, agentCommentsEnabled: post.agent_comments_enabled },
  reactions: summaryView({ ...post, viewer_reaction: null }),
  tipTotalRaw: post.tip_total_raw,
  tipTotalAtomic: post.tip_total_atomic,
  tipping: post.receives_nano ? tippingView(post) : null,
  salesCount: post.sales_count,
})
