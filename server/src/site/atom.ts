import type { Feed, FeedItem } from './feed.ts'
import { xml, xmlDocument } from './xml.ts'

/** Atom (RFC 4287). */
export const atom = (feed: Feed): string =>
  xmlDocument(xml`<feed xmlns="http://www.w3.org/2005/Atom">
<id>${feed.id}</id>
<title>${feed.title}</title>
<subtitle>${feed.description}</subtitle>
${feed.feedUrl !== undefined && xml`<link rel="self" type="application/atom+xml" href="${feed.feedUrl}"/>`}
${feed.hubUrl !== undefined && xml`<link rel="hub" href="${feed.hubUrl}"/>`}
<link rel="alternate" type="text/html" href="${feed.homeUrl}"/>
<updated>${feed.updated.toISOString()}</updated>
${feed.items.map(entry)}</feed>`)

const entry = (post: FeedItem) => xml`<entry${post.language !== null && xml` xml:lang="${post.language}"`}>
<id>${post.id}</id>
<title>${post.title}</title>
<link rel="alternate" type="text/html" href="${post.url}"/>
<link rel="alternate" type="text/markdown" href="${post.markdownUrl}"/>
<published>${post.published.toISOString()}</published>
<updated>${post.updated.toISOString()}</updated>
<author><name>${post.author.name}</name><uri>${post.author.url}</uri></author>
${post.tags.map((tag) => xml`<category term="${tag}"/>`)}
<summary>${post.summary}</summary>
<content type="html">${post.contentHtml}</content>
</entry>
`
