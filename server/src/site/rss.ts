import { escapeHtml } from '@pennypost/site/escape-html'
import type { Feed, FeedItem } from './feed.ts'
import { xml, xmlDocument } from './xml.ts'

/** RSS 2.0. */
export const rss = (feed: Feed): string =>
  xmlDocument(xml`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>${feed.title}</title>
<link>${feed.homeUrl}</link>
<description>${feed.description}</description>
${feed.feedUrl !== undefined && xml`<atom:link rel="self" type="application/rss+xml" href="${feed.feedUrl}"/>`}
${feed.hubUrl !== undefined && xml`<atom:link rel="hub" href="${feed.hubUrl}"/>`}
<lastBuildDate>${feed.updated.toUTCString()}</lastBuildDate>
${feed.items.map(item)}</channel>
</rss>`)

// Feed readers treat a description as HTML, so its text is escaped as HTML and then again as XML.
const item = (post: FeedItem) => xml`<item>
<title>${post.title}</title>
<link>${post.url}</link>
<guid isPermaLink="false">${post.id}</guid>
<pubDate>${post.published.toUTCString()}</pubDate>
<dc:creator>${post.author.name}</dc:creator>
${post.language !== null && xml`<dc:language>${post.language}</dc:language>`}
${post.tags.map((tag) => xml`<category>${tag}</category>`)}
<description>${escapeHtml(post.summary)}</description>
<content:encoded>${post.contentHtml}</content:encoded>
</item>
`
