import { type getPublicPost as declared, publicPostNotFound } from '@pennypost/contract/discovery'
import { summaryView } from '../discussion/reaction-view.ts'
import { refuse } from '../platform/http/refuse.ts'
import { resolveImages } from '../posts/markdown/images.ts'
import { tippingView } from '../profiles/profile-view.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { disclosureHeader } from './ai-disclosure.ts'
import { authorView, postSummary } from './post-summary.ts'
import { findPublicPost } from './public-post-store.ts'
import type { Handler } from './services.ts'

export const getPublicPost: Handler<typeof declared> = async (services, { params, origin, ip, visit }) => {
  const post = (await findPublicPost(services.pool, params.postId)) ?? refuse(publicPostNotFound)
  services.readers.note(post.id, { ip, visit })
  return {
    status: 200,
    headers: disclosureHeader(post.creation_method),
    body: {
      ...postSummary(services, post, origin),
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
    },
  }
}
