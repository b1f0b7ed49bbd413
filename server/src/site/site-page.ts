import { etagOfBytes } from '../platform/http/conditional-request.ts'
import { type Html, html, type PageContent, page } from '../platform/http/page.ts'
import { oneLine } from './legible.ts'
import { type LookOptions, siteLook } from './site-look.ts'

interface SitePage extends Omit<PageContent, 'look'>, LookOptions {
  /** Where this page is, for whoever came another way. */
  readonly canonicalUrl: string
  /** Not worth finding: nothing is on it yet, or only for one person. */
  readonly hidden?: boolean
}

/** A page of the site as a reply: its ETag is that of its very bytes, so nothing that changes them can be forgotten. */
export function sitePage({ title, description, canonicalUrl, hidden, head, body: markup, ...look }: SitePage) {
  const shown = page({
    title: oneLine(title),
    ...(description !== undefined && { description: oneLine(description) }),
    body: markup,
    layout: siteLook(look),
    head: html`<link rel="canonical" href="${canonicalUrl}">
${hidden && html`<meta name="robots" content="noindex">`}
${look.feedPath !== undefined && feedLinks(look.feedPath)}
${head}`,
  })
  const body = Buffer.from(shown.html)
  return { status: 200, headers: { ...shown.headers, etag: etagOfBytes(body) }, body } as const
}

const feedLinks = (
  path: string,
): Html => html`<link rel="alternate" type="application/rss+xml" title="RSS" href="${path}feed.xml">
<link rel="alternate" type="application/atom+xml" title="Atom" href="${path}atom.xml">
<link rel="alternate" type="application/feed+json" title="JSON Feed" href="${path}feed.json">`

/** The way to the pages before and after; `addressOf` makes their addresses. */
export function pager(current: number, hasMore: boolean, addressOf: (page: number) => string): Html | false {
  return (
    (current > 1 || hasMore) &&
    html`<nav class="pager" aria-label="Pages">
${current > 1 && html`<a rel="prev" href="${addressOf(current - 1)}">Previous page</a>`}
<span class="quiet">Page ${current}</span>
${hasMore && html`<a rel="next" href="${addressOf(current + 1)}">Next page</a>`}
</nav>`
  )
}
