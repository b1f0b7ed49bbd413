import { etagOf } from '../platform/http/conditional.ts'
import { type Html, html, type PageContent, page, styleOf } from '../platform/http/page.ts'
import { oneLine } from './legible.ts'
import { siteStyle } from './site-style.ts'

const style = styleOf(siteStyle)

interface SitePage extends Omit<PageContent, 'style' | 'title' | 'description'> {
  readonly title: string
  readonly description?: string
  /** Where this page is, for whoever came another way. */
  readonly canonicalUrl: string
  /** Its feeds are at this path; `undefined` where it has none. */
  readonly feedPath?: string
  /** Not worth finding: nothing is on it yet. */
  readonly hidden?: boolean
}

/** A page of the site as a reply: its ETag is that of its very bytes, so nothing that changes them can be forgotten. */
export function sitePage({ title, description, canonicalUrl, feedPath, hidden, head, body }: SitePage) {
  const shown = page({
    title: oneLine(title),
    ...(description !== undefined && { description: oneLine(description) }),
    body: html`${body}${footer(feedPath)}`,
    style,
    head: html`<link rel="canonical" href="${canonicalUrl}">
${hidden && html`<meta name="robots" content="noindex">`}
${feedPath !== undefined && feedLinks(feedPath)}
${head}`,
  })
  return { status: 200, headers: { ...shown.headers, etag: etagOf(shown.html) }, body: shown.html } as const
}

const feedLinks = (
  path: string,
): Html => html`<link rel="alternate" type="application/rss+xml" title="RSS" href="${path}feed.xml">
<link rel="alternate" type="application/atom+xml" title="Atom" href="${path}atom.xml">
<link rel="alternate" type="application/feed+json" title="JSON Feed" href="${path}feed.json">`

const footer = (feedPath: string | undefined): Html => html`<footer class="footer">
${
  feedPath !== undefined &&
  html`<p>Follow: <a href="${feedPath}feed.xml">RSS</a> <a href="${feedPath}atom.xml">Atom</a>
<a href="${feedPath}feed.json">JSON Feed</a></p>`
}
<p><a href="/llms.txt">For language models</a> <a href="/docs">API reference</a></p>
</footer>`

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
