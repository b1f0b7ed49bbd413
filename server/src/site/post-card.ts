import type { PostCardContent } from '@pennypost/site/components/post-list'
import { formatPrice } from '@pennypost/site/components/price'
import { canonicalPostPath } from '@pennypost/site/paths'
import { disclosureOf } from '../discovery/ai-disclosure.ts'
import { priceOf } from '../discovery/post-summary.ts'
import type { PublicPostRow } from '../posts/catalog/public-post.ts'
import type { PricingParts } from '../posts/post-view.ts'
import { personOf } from './person.ts'

/** A post as lists of pages show it. */
export const postCard = (parts: PricingParts, post: PublicPostRow): PostCardContent => ({
  id: post.id,
  path: canonicalPostPath(post),
  title: post.title,
  description: post.description,
  freePreview: post.free_text,
  language: post.language,
  price: formatPrice(priceOf(parts, post)),
  hasFiles: post.attachments.length > 0,
  aiBadge: disclosureOf(post.creation_method)?.badge,
  author: personOf(post),
  publishedAt: post.published_at.toISOString(),
  tags: post.tags,
})
