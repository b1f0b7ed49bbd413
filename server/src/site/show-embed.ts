import type { showEmbed as declared } from '@pennypost/contract/embeds'
import { postPageNotFound } from '@pennypost/contract/public-pages'
import type { SiteSettings } from '@pennypost/contract/site-settings'
import { oneLine, truncate } from '@pennypost/site/clean-text'
import { EmbedPage } from '@pennypost/site/components/embed-page'
import { AccentStyle, PageFiles, PageLinks } from '@pennypost/site/components/head'
import { canonicalPostPath } from '@pennypost/site/paths'
import { postSummary } from '../discovery/post-summary.ts'
import { findPublicPost } from '../discovery/public-post-store.ts'
import { etagOfBytes } from '../platform/http/conditional-request.ts'
import { html, type PageLayout, page } from '../platform/http/page.ts'
import { refuse } from '../platform/http/refuse.ts'
import { personOf } from './person.ts'
import { previewText } from './post-text.ts'
import type { Handler } from './services.ts'
import { findEntry } from './site-bundle.ts'

/** Shows a post in a frame of another site: its card, as in lists, and a link. It has no script and no form. */
export const showEmbed: Handler<typeof declared> = async (services, { params, origin }) => {
  const post = (await findPublicPost(services.pool, params.postId)) ?? refuse(postPageNotFound)
  const site = services.site.settings()
  const url = origin + canonicalPostPath(post)
  const shown = page({
    title: oneLine(post.title),
    head: PageLinks({ canonicalUrl: url, hidden: true }),
    body: EmbedPage({
      url,
      summary: postSummary(services, post, origin),
      author: personOf(post),
      preview: truncate(previewText(post), 220),
      publishedAt: post.published_at.toISOString(),
      siteName: site.name,
    }),
    layout: embedLayout(site),
  })
  const body = Buffer.from(shown.html)
  return { status: 200, headers: { ...shown.headers, etag: etagOfBytes(body) }, body }
}

const embedLayout = ({ name, accentColor }: SiteSettings): PageLayout => ({
  siteName: name,
  head: html`${PageFiles({
    styles: ['style', 'embed'].flatMap((each) => findEntry(each)?.file ?? []),
    beforeFirstPaint: undefined,
    preloads: [],
    modules: [],
  })}${accentColor && AccentStyle({ color: accentColor })}`,
  frame: (body) => body,
  policy: ["style-src 'self'"],
  framedBy: '*',
})
