import type { PostSummary } from '@pennypost/contract/discovery'
import { pathOf } from '../path-of.ts'
import { aiBadge } from './ai-badge.ts'
import type { PostCardContent } from './post-list.tsx'
import { formatPrice } from './price.tsx'

/** A card of a post that the API lists. */
export const cardOfSummary = (post: PostSummary): PostCardContent => ({
  ...post,
  path: pathOf(post.pageUrl),
  price: formatPrice(post),
  hasFiles: post.attachments.length > 0,
  aiBadge: aiBadge(post.creation?.method),
  // The URL of a collection ends with the slug of its tag.
  tags: post.tags.map(({ name, collectionUrl }) => ({
    name,
    slug: decodeURIComponent(collectionUrl.slice(collectionUrl.lastIndexOf('/') + 1)),
  })),
})
