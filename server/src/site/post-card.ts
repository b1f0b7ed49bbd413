import { aiBadge } from '@pennypost/site/components/ai-badge'
import type { PostCardContent } from '@pennypost/site/components/post-list'
import { formatPrice } from '@pennypost/site/components/price'
import { canonicalPostPath } from '@pennypost/site/paths'
import { priceOf } from '../discovery/post-summary.ts'
import { readingMinutes } from '../discovery/reading-minutes.ts'
import type { ListedPostRow } from '../posts/catalog/public-post.ts'
import type { PricingParts } from '../posts/post-view.ts'
import { personOf } from './person.ts'

/** A post as lists of pages show it. */
export const postCard = (parts: PricingParts, post: ListedPostRow): PostCardContent => ({
  id: post.id,
  path: canonicalPostPath(post),
  title: post.title,
  description: post.description,
  freePreview: post.free_text,
  language: post.language,
  price: formatPrice(priceOf(parts, post)),
  hasFiles: post.attachments.length > 0,
  aiBadge: aiBadge(post.creation_method),
  author: personOf(post),
  publishedAt: post.published_at.toISOString(),
  tags: post.tags,
  readingMinutes: readingMinutes(post.words),
  commentCount: post.comment_count,
  ogImageUrl: post.og_path,
})
