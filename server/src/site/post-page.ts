import type { PostSummary } from '@pennypost/contract/discovery'
import { postSummary } from '../discovery/post-summary.ts'
import type { PublicPostDetail } from '../discovery/public-post-store.ts'
import { type Html, html, jsonLd, sanitizedHtml } from '../platform/http/page.ts'
import { resolveImages } from '../posts/markdown/images.ts'
import type { PricingParts } from '../posts/post-view.ts'
import { tippingView } from '../profiles/profile-view.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { avatar } from './avatar.ts'
import { oneLine, truncate } from './clean-text.ts'
import { commentsSection } from './comments-section.ts'
import type { PageComment } from './page-comment-store.ts'
import { creatorPath } from './paths.ts'
import { paywall } from './paywall.ts'
import { postJsonLd } from './post-json-ld.ts'
import { byline, tagList, timeElement } from './post-list.ts'
import { categoryName, disclosureText, formatDate, previewText, updatedAt } from './post-text.ts'
import { reactionButtons } from './reaction-buttons.ts'
import { sitePage } from './site-page.ts'

/** What the page shows besides the free part. */
interface PageParts {
  readonly comments: readonly PageComment[]
  readonly hasMore: boolean
  /** The gift link that the reader came by, and the paid part if the link is valid. */
  readonly gift?: { readonly token: string; readonly paidHtml: string | undefined } | undefined
}

/** The page of a post: the free part, the paywall or the paid part, and the comments. */
export function postPage(parts: PricingParts, post: PublicPostDetail, shown: PageParts, origin: string) {
  const { gift, ...discussion } = shown
  const paidHtml = gift?.paidHtml
  const summary = postSummary(parts, post, origin)
  const title = oneLine(post.title)
  const category = categoryName(post.category)
  const disclosure = disclosureText(post)
  return sitePage({
    title: `${title} · ${oneLine(post.name)} · Pennypost`,
    description: truncate(previewText(post), 300),
    canonicalUrl: summary.contentUrl,
    feedPath: `${creatorPath(post.handle)}/`,
    entry: 'post',
    head: html`<link rel="alternate" type="text/markdown" title="Markdown" href="/posts/${post.id}.md">
${openGraph(post, summary, origin)}
${jsonLd(postJsonLd(post, summary, origin))}`,
    body: html`<main id="main" class="reading" data-post="${post.id}" data-author="${post.account_id}" data-handle="${post.handle}">
<article lang="${post.language ?? 'und'}">
<header class="post-head">
${category !== undefined && html`<p class="eyebrow" lang="en"><a href="/?category=${post.category}">${category}</a></p>`}
<h1 dir="auto">${title}</h1>
${post.description !== '' && html`<p class="lead" dir="auto">${oneLine(post.description)}</p>`}
<div class="by" lang="en">${avatar(post)}<p class="facts">${byline(post)}<br>${timeElement(post.published_at)}${updatedNote(post)}, ${readingTime(post.free_markdown)}</p></div>
</header>
<div class="prose" dir="auto">${sanitizedHtml(resolveImages(post.free_html, imageUrls(post.image_paths, '')))}</div>
${gift && giftNote(post, gift)}
${paidHtml !== undefined && html`<div class="prose" dir="auto">${sanitizedHtml(resolveImages(paidHtml, imageUrls(post.image_paths, '')))}</div>`}
${paidHtml === undefined && post.has_paywall && paywall(summary)}
<footer class="post-foot" lang="en">
${disclosure !== undefined && html`<p class="disclosure">${disclosure}</p>`}
${tagList(post)}
${attachmentList(summary, paidHtml === undefined ? undefined : gift?.token)}
<div class="post-acts" data-post-acts>${reactionButtons(post)}${post.receives_nano && html`<button type="button" class="quiet-button small with-script" data-tip disabled>${oneLine(tippingView(post).buttonLabel)}</button>`}</div>
</footer>
</article>
<aside class="author-card" aria-label="About the author">${avatar(post, 'large')}<p><a href="${creatorPath(post.handle)}"><b><bdi>${oneLine(post.name)}</bdi></b></a><br><span class="quiet">@${post.handle}</span></p><span data-follow></span></aside>
${commentsSection({ ...discussion, count: post.comment_count, isOpen: post.comments_enabled })}
<p class="facts"><a href="/posts/${post.id}.md">This Post as Markdown</a></p>
</main>`,
  })
}

const wordsPerMinute = 230

/** The estimated reading time of the free part. */
function readingTime(markdown: string): string {
  const words = markdown.split(/\s+/u).length
  return `${Math.max(1, Math.round(words / wordsPerMinute))} min to read`
}

/** The notice above the paid part for a reader with a gift link. */
const giftNote = (post: PublicPostDetail, { paidHtml }: NonNullable<PageParts['gift']>): Html =>
  paidHtml === undefined
    ? html`<p class="notice" lang="en">This gift link opens nothing any more. Whoever gave it to you may have another.</p>`
    : html`<p class="notice gift" lang="en"><b>A gift from <bdi>${oneLine(post.name)}</bdi>.</b> What follows is for sale, and yours to read by this link.</p>`

/** The post's files. Everybody sees names and sizes; buyers get download links from the script, gift readers here. */
const attachmentList = ({ attachments }: PostSummary, giftToken: string | undefined): Html | false =>
  attachments.length > 0 &&
  html`<section class="files" aria-label="Files" data-files><h2>Files</h2><ul>${attachments.map(
    ({ id, filename, sizeBytes, description, contents, downloadUrl }) =>
      html`<li data-file="${id}"><div><b>${oneLine(filename)}</b> <span class="quiet">${formatSize(sizeBytes)}${contents !== null && `, ${contents.length} ${contents.length === 1 ? 'file' : 'files'}`}</span>${description !== '' && html`<br>${oneLine(description)}`}</div>${giftToken !== undefined && html`<a class="button quiet-button small" download href="${downloadUrl}?gift=${giftToken}">Download</a>`}</li>`,
  )}</ul></section>`

const formatSize = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`

function updatedNote(post: PublicPostDetail): string | false {
  const [published, updated] = [formatDate(post.published_at), formatDate(updatedAt(post))]
  return published !== updated && `, changed ${updated}`
}

function openGraph(post: PublicPostDetail, { contentUrl }: PostSummary, origin: string): Html {
  const properties: [string, string][] = [
    ['og:type', 'article'],
    ['og:site_name', 'Pennypost'],
    ['og:title', oneLine(post.title)],
    ['og:description', truncate(previewText(post), 300)],
    ['og:url', contentUrl],
    ...(post.og_path === null ? [] : [['og:image', origin + post.og_path] as [string, string]]),
    ['article:published_time', post.published_at.toISOString()],
    ['article:modified_time', updatedAt(post).toISOString()],
    ['article:author', origin + creatorPath(post.handle)],
    ...post.tags.map(({ name }): [string, string] => ['article:tag', oneLine(name)]),
  ]
  return html`${properties.map(
    ([name, content]) => html`<meta property="${name}" content="${content}">
`,
  )}<meta name="twitter:card" content="summary">`
}
