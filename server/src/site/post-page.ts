import type { PostSummary } from '@pennypost/contract/discovery'
import type { Offer } from '@pennypost/contract/posts'
import { postSummary } from '../discovery/post-summary.ts'
import type { PublicPostDetail } from '../discovery/public-post-store.ts'
import { type Html, html, jsonLd, sanitized } from '../platform/http/page.ts'
import { resolveImages } from '../posts/markdown/images.ts'
import type { PricingParts } from '../posts/post-view.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { creatorPath } from './addresses.ts'
import { oneLine, shortened } from './legible.ts'
import { byline, dated, tagList } from './post-card.ts'
import { postFacts } from './post-facts.ts'
import { categoryWords, dateWords, disclosureWords, priceWords, summaryWords, updatedAt } from './post-words.ts'
import { sitePage } from './site-page.ts'

/** A Post for a reader: what is free of it, and what the rest costs, or the rest where it was given to them. */
export function postPage(parts: PricingParts, post: PublicPostDetail, origin: string, paidHtml?: string) {
  const summary = postSummary(parts, post, origin)
  const title = oneLine(post.title)
  const category = categoryWords(post.category)
  const disclosure = disclosureWords(post)
  return sitePage({
    title: `${title} · ${oneLine(post.name)} · Pennypost`,
    description: shortened(summaryWords(post), 300),
    canonicalUrl: summary.contentUrl,
    feedPath: `${creatorPath(post.handle)}/`,
    head: html`<link rel="alternate" type="text/markdown" title="Markdown" href="/posts/${post.id}.md">
${openGraph(post, summary, origin)}
${jsonLd(postFacts(post, summary, origin))}`,
    body: html`<main id="main">
<article lang="${post.language ?? 'und'}">
<header>
<h1 dir="auto">${title}</h1>
${post.description !== '' && html`<p class="lead" dir="auto">${oneLine(post.description)}</p>`}
<p class="facts" lang="en">${byline(post)}, ${dated(post.published_at)}${changed(post)}${category && `, ${category}`}</p>
${disclosure !== undefined && html`<p class="disclosure" lang="en">${disclosure}</p>`}
</header>
<div class="prose" dir="auto">${sanitized(resolveImages(post.free_html, imageUrls(post.image_paths, '')))}</div>
${paidHtml !== undefined && html`<div class="prose" dir="auto">${sanitized(resolveImages(paidHtml, imageUrls(post.image_paths, '')))}</div>`}
${paidHtml === undefined && post.has_paywall && paywall(priceWords(post), summary)}
<footer lang="en">
${tagList(post)}
<p class="facts"><a href="/posts/${post.id}.md">This Post as Markdown</a></p>
</footer>
</article>
</main>`,
  })
}

function changed(post: PublicPostDetail): string | false {
  const [published, updated] = [dateWords(post.published_at), dateWords(updatedAt(post))]
  return published !== updated && `, changed ${updated}`
}

function paywall(price: string | undefined, { paymentOffers, accessUrl }: PostSummary): Html {
  const ready = paymentOffers.filter(({ status }) => status === 'ready')
  const others = paymentOffers.filter(({ status }) => status !== 'ready')
  return html`<section class="paywall" lang="en" aria-labelledby="paywall-title">
<h2 id="paywall-title">The rest of this Post is for sale${price !== undefined && `: ${price}`}</h2>
<ul>${[...ready, ...others].map((offer) => html`<li>${offerWords(offer)}</li>`)}</ul>
<p>One payment opens it for good. Programs pay and read at <code>${accessUrl}</code>.</p>
</section>`
}

function offerWords({ asset, amount, network, status, reason }: Offer): Html {
  if (status !== 'ready') return html`<span class="quiet">${asset}: not now. ${reason}</span>`
  return html`<b>${amount} ${asset}</b> on <code>${network}</code>`
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
