import { createHash } from 'node:crypto'
import type { PostRow } from '../posts/post-store.ts'

/** A hash of everything that an import can set on a post. If it differs from the saved one, the post was edited here since. */
export function contentHash(post: PostRow, tags: readonly string[]): Buffer {
  const content = [
    post.title,
    post.description,
    post.free_markdown,
    post.paid_markdown,
    post.has_paywall,
    post.price_currency,
    post.price_atomic,
    post.category,
    post.language,
    post.creation_method,
    post.creation_details,
    post.comments_enabled,
    post.agent_comments_enabled,
    post.search_paid_content,
    post.math,
    post.canonical_url,
    tags.map((tag) => tag.toLowerCase()).sort(),
  ]
  return createHash('sha256').update(JSON.stringify(content)).digest()
}
