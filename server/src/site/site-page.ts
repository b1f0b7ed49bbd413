import type { SiteSettings } from '@pennypost/contract/site-settings'
import { oneLine } from '@pennypost/site/clean-text'
import { PageLinks } from '@pennypost/site/components/head'
import type { Markup } from '@pennypost/site/jsx/markup'
import { etagOfBytes } from '../platform/http/conditional-request.ts'
import { html, page } from '../platform/http/page.ts'
import { type SiteLayoutOptions, siteLayout } from './site-layout.ts'

interface SitePage extends SiteLayoutOptions {
  /** Omitted for the home page, whose title is the name of the site. */
  readonly title?: string | undefined
  readonly description?: string
  /** The page's canonical URL. */
  readonly canonicalUrl: string
  /** Keeps search engines from listing the page: it is empty or personal. */
  readonly hidden?: boolean
  /** More elements for the head: links, structured data. */
  readonly head?: Markup
  /** The `<main id="main">` of the page. */
  readonly body: Markup
}

/** A page of the site as a reply. Its ETag is a hash of its bytes, so every change counts. */
export function sitePage(
  site: SiteSettings,
  { title, description, canonicalUrl, hidden, head, body: content, ...layout }: SitePage,
) {
  const shown = page({
    title: title === undefined ? undefined : oneLine(title),
    ...(description !== undefined && { description: oneLine(description) }),
    head: html`${PageLinks({ canonicalUrl, hidden, feedPath: layout.feedPath })}${head}`,
    body: content,
    layout: siteLayout(site, layout),
  })
  const body = Buffer.from(shown.html)
  return { status: 200, headers: { ...shown.headers, etag: etagOfBytes(body) }, body } as const
}
