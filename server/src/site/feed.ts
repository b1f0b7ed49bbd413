import { oneLine } from '@pennypost/site/clean-text'
import { renderToString } from '@pennypost/site/jsx/markup'
import { canonicalPostPath, creatorPath } from '@pennypost/site/paths'
import { disclosureOf } from '../discovery/ai-disclosure.ts'
import { html } from '../platform/http/page.ts'
import { resolveImages } from '../posts/markdown/images.ts'
import { contentUrl } from '../posts/post-view.ts'
import { imageUrls } from '../uploads/image-view.ts'
import type { FeedPost } from './feed-store.ts'
import { disclosureText, formatPrice, previewText, updatedAt } from './post-text.ts'

/** The content of a feed, independent of its format. */
export interface Feed {
  readonly title: string
  readonly description: string
  readonly homeUrl: string
  /** Never changes, and is the same on every origin. */
  readonly id: string
  /** Omitted for a private feed, whose URL is secret. */
  readonly feedUrl?: string
  /** The WebSub hub that is notified of changes. */
  readonly hubUrl?: string | undefined
  readonly updated: Date
  readonly items: readonly FeedItem[]
}

export interface FeedItem {
  /** Never changes, and is the same on every origin. */
  readonly id: string
  readonly url: string
  readonly markdownUrl: string
  readonly title: string
  readonly summary: string
  readonly contentHtml: string
  readonly author: { readonly name: string; readonly url: string }
  readonly published: Date
  readonly updated: Date
  readonly language: string | null
  readonly tags: readonly string[]
  readonly aiDisclosure: string | undefined
  readonly price: string | undefined
}

export function feedItem(post: FeedPost, origin: string): FeedItem {
  const url = origin + canonicalPostPath(post)
  return {
    id: `urn:uuid:${post.id}`,
    url,
    markdownUrl: `${contentUrl(origin, post.id)}.md`,
    title: oneLine(post.title),
    summary: previewText(post),
    contentHtml: content(post, url, origin),
    author: { name: oneLine(post.name), url: origin + creatorPath(post.handle) },
    published: post.published_at,
    updated: updatedAt(post),
    language: post.language,
    tags: post.tags.map(({ name }) => oneLine(name)),
    aiDisclosure: disclosureOf(post.creation_method)?.token,
    price: formatPrice(post),
  }
}

/** The free part, followed by the price and the disclosure that the page would show. */
function content(post: FeedPost, url: string, origin: string): string {
  const price = formatPrice(post)
  const notes = html`${disclosureText(post) && html`<p><em>${disclosureText(post)}</em></p>`}${
    price !== undefined && html`<p><a href="${url}">The rest of this Post costs ${price}.</a></p>`
  }`
  const free =
    post.free_html === null
      ? renderToString(html`<p>${oneLine(post.free_text)}…</p><p><a href="${url}">Read on</a></p>`)
      : absolute(resolveImages(post.free_html, imageUrls(post.image_paths, origin)), url, origin)
  return free + renderToString(notes)
}

// Stored HTML spells links in one way only, and no text in it can look like a link because `<` is always escaped.
const absolute = (storedHtml: string, url: string, origin: string): string =>
  storedHtml.replace(/<a href="([#/])/g, (_, first: string) => `<a href="${first === '#' ? url : origin}${first}`)
