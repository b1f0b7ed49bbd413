import type { PostSummary } from '@pennypost/contract/discovery'
import { postSummary } from '../discovery/post-summary.ts'
import type { PublicPostDetail } from '../discovery/public-post-store.ts'
import { type Html, html, jsonLd, sanitizedHtml } from '../platform/http/page.ts'
import { resolveImages } from '../posts/markdown/images.ts'
import type { PricingParts } from '../posts/post-view.ts'
import { tippingView } from '../profiles/profile-view.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { creatorPath } from './addresses.ts'
import { commentsSection } from './comments-section.ts'
import { oneLine, shortened } from './legible.ts'
import type { PageComment } from './page-comment-store.ts'
import { paywall } from './paywall.ts'
import { avatar } from './person.ts'
import { byline, dated, tagList } from './post-card.ts'
import { postFacts } from './post-facts.ts'
import { categoryWords, dateWords, disclosureWords, summaryWords, updatedAt } from './post-words.ts'
import { reactionButtons } from './reaction-buttons.ts'
import { sitePage } from './site-page.ts'

/** What the page shows beside the free part. */
interface Shown {
  readonly comments: readonly PageComment[]
  readonly hasMore: boolean
  /** The link that somebody came by, and the rest where it opens that. */
  readonly gift?: { readonly token: string; readonly paidHtml: string | undefined } | undefined
}

/** A Post for a reader: what is free of it, what the rest costs or the rest itself, and what was said about it. */
export function postPage(parts: PricingParts, post: PublicPostDetail, shown: Shown, origin: string) {
  const { gift, ...discussion } = shown
  const paidHtml = gift?.paidHtml
  const summary = postSummary(parts, post, origin)
  const title = oneLine(post.title)
  const category = categoryWords(post.category)
  const disclosure = disclosureWords(post)
  return sitePage({
    title: `${title} · ${oneLine(post.name)} · Pennypost`,
    description: shortened(summaryWords(post), 300),
    canonicalUrl: summary.contentUrl,
    feedPath: `${creatorPath(post.handle)}/`,
    entry: 'post',
    head: html`<link rel="alternate" type="text/markdown" title="Markdown" href="/posts/${post.id}.md">
${openGraph(post, summary, origin)}
${jsonLd(postFacts(post, summary, origin))}`,
    body: html`<main id="main" class="reading" data-post="${post.id}" data-author="${post.account_id}" data-handle="${post.handle}">
<article lang="${post.language ?? 'und'}">
<header class="post-head">
${category !== undefined && html`<p class="eyebrow" lang="en"><a href="/?category=${post.category}">${category}</a></p>`}
<h1 dir="auto">${title}</h1>
${post.description !== '' && html`<p class="lead" dir="auto">${oneLine(post.description)}</p>`}
<div class="by" lang="en">${avatar(post)}<p class="facts">${byline(post)}<br>${dated(post.published_at)}${changed(post)}, ${readingWords(post.free_markdown)}</p></div>
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

/** How long the free part takes, roughly. */
function readingWords(markdown: string): string {
  const words = markdown.split(/\s+/u).length
  return `${Math.max(1, Math.round(words / wordsPerMinute))} min to read`
}

/** Where a gift link leads, before the rest. */
const giftNote = (post: PublicPostDetail, { paidHtml }: NonNullable<Shown['gift']>): Html =>
  paidHtml === undefined
    ? html`<p class="notice" lang="en">This gift link opens nothing any more. Whoever gave it to you may have another.</p>`
    : html`<p class="notice gift" lang="en"><b>A gift from <bdi>${oneLine(post.name)}</bdi>.</b> What follows is for sale, and yours to read by this link.</p>`

/** Names and sizes for everybody; whoever may read the Post gets the way to the bytes, from the script or with a gift. */
const attachmentList = ({ attachments }: PostSummary, giftToken: string | undefined): Html | false =>
  attachments.length > 0 &&
  html`<section class="files" aria-label="Files" data-files><h2>Files</h2><ul>${attachments.map(
    ({ id, filename, sizeBytes, description, contents, downloadUrl }) =>
      html`<li data-file="${id}"><div><b>${oneLine(filename)}</b> <span class="quiet">${sizeWords(sizeBytes)}${contents !== null && `, ${contents.length} ${contents.length === 1 ? 'file' : 'files'}`}</span>${description !== '' && html`<br>${oneLine(description)}`}</div>${giftToken !== undefined && html`<a class="button quiet-button small" download href="${downloadUrl}?gift=${giftToken}">Download</a>`}</li>`,
  )}</ul></section>`

const sizeWords = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`

function changed(post: PublicPostDetail): string | false {
  const [published, updated] = [dateWords(post.published_at), dateWords(updatedAt(post))]
  return published !== updated && `, changed ${updated}`
}

function openGraph(post: PublicPostDetail, { contentUrl }: PostSummary, origin: string): Html {
  const properties: [string, string][] = [
    ['og:type', 'article'],
    ['og:site_name', 'Pennypost'],
    ['og:title', oneLine(post.title)],
    ['og:description', shortened(summaryWords(post), 300)],
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
