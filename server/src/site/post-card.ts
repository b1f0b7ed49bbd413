import type { PostCardContent } from '@pennypost/site/components/post-list'
import { disclosureOf } from '../discovery/ai-disclosure.ts'
import type { PublicPostRow } from '../posts/catalog/public-post.ts'
import { personOf } from './person.ts'
import { formatPrice } from './post-text.ts'

/** A post as lists of pages show it. */
export const postCard = (post: PublicPostRow): PostCardContent => ({
  id: post.id,
  title: post.title,
  description: post.description,
  freePreview: post.free_text,
  language: post.language,
  price: formatPrice(post),
  hasFiles: post.attachments.length > 0,
  disclosure: disclosureOf(post.creation_method)?.words,
  author: personOf(post),
  publishedAt: post.published_at.toISOString(),
  tags: post.tags,
})
