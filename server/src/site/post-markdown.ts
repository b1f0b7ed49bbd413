import { oneLine } from '@pennypost/site/clean-text'
import { canonicalPostPath, creatorPath } from '@pennypost/site/paths'
import { disclosureOf } from '../discovery/ai-disclosure.ts'
import type { PublicPostDetail } from '../discovery/public-post-store.ts'
import { accessUrl } from '../posts/post-view.ts'
import { disclosureText, formatPrice, updatedAt } from './post-text.ts'

/** A post as Markdown: its metadata as front matter, then the free part as the author wrote it. */
export function postMarkdown(post: PublicPostDetail, origin: string): string {
  const price = formatPrice(post)
  const facts = Object.entries({
    title: oneLine(post.title),
    description: oneLine(post.description) || undefined,
    author: oneLine(post.name),
    author_url: origin + creatorPath(post.handle),
    url: origin + canonicalPostPath(post),
    published: post.published_at.toISOString(),
    updated: updatedAt(post).toISOString(),
    language: post.language,
    ai_disclosure: disclosureOf(post.creation_method)?.token,
    ai_disclosure_words: disclosureText(post),
    tags: post.tags.length > 0 ? post.tags.map(({ name }) => oneLine(name)) : undefined,
    price: price ?? 'free',
    access_url: price === undefined ? undefined : accessUrl(origin, post.id),
  }).filter(([, value]) => value !== undefined && value !== null)
  // JSON strings are valid YAML, and no value in them can end its line.
  const frontMatter = facts.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n')
  return `---\n${frontMatter}\n---\n\n${post.free_markdown}\n${price === undefined ? '' : forSale(price, post, origin)}`
}

const forSale = (price: string, { id }: PublicPostDetail, origin: string): string =>
  `\n---\n\nThe rest of this Post costs ${price}: <${accessUrl(origin, id)}>\n`
