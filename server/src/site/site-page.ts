import { etagOfBytes } from '../platform/http/conditional-request.ts'
import { type Html, html, type PageContent, page } from '../platform/http/page.ts'
import { oneLine } from './clean-text.ts'
import { type SiteLayoutOptions, siteLayout } from './site-layout.ts'

interface SitePage extends Omit<PageContent, 'look'>, SiteLayoutOptions {
  /** The page's canonical URL. */
  readonly canonicalUrl: string
  /** Keeps search engines from listing the page: it is empty or personal. */
  readonly hidden?: boolean
}

/** A page of the site as a reply. Its ETag is a hash of its bytes, so every change counts. */
export function sitePage({ title, description, canonicalUrl, hidden, head, body: markup, ...look }: SitePage) {
  const shown = page({
    title: oneLine(title),
    ...(description !== undefined && { description: oneLine(description) }),
    body: markup,
    layout: siteLayout(look),
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

/** Links to the previous and the next page. */
export function pager(current: number, hasMore: boolean, pathOf: (page: number) => string): Html | false {
  return (
    (current > 1 || hasMore) &&
    html`<nav class="pager" aria-label="Pages">
${current > 1 && html`<a rel="prev" href="${pathOf(current - 1)}">Previous page</a>`}
<span class="quiet">Page ${current}</span>
${hasMore && html`<a rel="next" href="${pathOf(current + 1)}">Next page</a>`}
</nav>`
  )
}
