import { disclosureOf } from '../discovery/ai-disclosure.ts'
import { html } from '../platform/http/page.ts'
import { resolveImages } from '../posts/markdown/images.ts'
import { contentUrl } from '../posts/post-view.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { creatorPath } from './addresses.ts'
import type { FeedPost } from './feed-store.ts'
import { oneLine } from './legible.ts'
import { disclosureWords, priceWords, summaryWords, updatedAt } from './post-words.ts'

/** What all formats say, each in its own way. */
export interface Feed {
  readonly title: string
  readonly description: string
  readonly homeUrl: string
  /** The same for ever, and on every reader. */
  readonly id: string
  /** Left out where the address is a secret: nothing repeats it. */
  readonly feedUrl?: string
  readonly updated: Date
  readonly items: readonly FeedItem[]
}

export interface FeedItem {
  /** The same on every origin and for ever. */
  readonly id: string
  readonly url: string
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
  const url = contentUrl(origin, post.id)
  return {
    id: `urn:uuid:${post.id}`,
    url,
    title: oneLine(post.title),
    summary: summaryWords(post),
    contentHtml: content(post, url, origin),
    author: { name: oneLine(post.name), url: origin + creatorPath(post.handle) },
    published: post.published_at,
    updated: updatedAt(post),
    language: post.language,
    tags: post.tags.map(({ name }) => oneLine(name)),
    aiDisclosure: disclosureOf(post.creation_method)?.token,
    price: priceWords(post),
  }
}

/** The free part, then in words what a reader of the page would see beside it. */
function content(post: FeedPost, url: string, origin: string): string {
  const price = priceWords(post)
  const notes = html`${disclosureWords(post) && html`<p><em>${disclosureWords(post)}</em></p>`}${
    price !== undefined && html`<p><a href="${url}">The rest of this Post costs ${price}.</a></p>`
  }`
  const free =
    post.free_html === null
      ? html`<p>${oneLine(post.free_text)}…</p><p><a href="${url}">Read on</a></p>`.text
      : absolute(resolveImages(post.free_html, imageUrls(post.image_paths, origin)), url, origin)
  return free + notes.text
}

// Stored html spells a link in one way only, and no text of it can look like one: `<` is always escaped there.
const absolute = (storedHtml: string, url: string, origin: string): string =>
  storedHtml.replace(/<a href="([#/])/g, (_, first: string) => `<a href="${first === '#' ? url : origin}${first}`)
