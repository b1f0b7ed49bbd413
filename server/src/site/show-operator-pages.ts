import { type showAbout as declared, sitePageNotFound } from '@pennypost/contract/public-pages'
import { OperatorPage } from '@pennypost/site/components/operator-page'
import { LRUCache } from 'lru-cache'
import { refuse } from '../platform/http/refuse.ts'
import { ownSender } from '../posts/markdown/renderer.ts'
import { renderPart } from '../posts/post-content.ts'
import type { Handler, SiteServices } from './services.ts'
import { sitePage } from './site-page.ts'

// The operator's own texts. They are Markdown in the settings of the site.

// By their Markdown, so that a change is seen immediately.
const rendered = new LRUCache<string, string>({ max: 10 })

async function render({ renderer }: SiteServices, markdown: string): Promise<string> {
  const known = rendered.get(markdown)
  if (known !== undefined) return known
  const { html } = await renderPart(renderer, ownSender('site'), markdown)
  rendered.set(markdown, html)
  return html
}

const operatorPage =
  (
    path: string,
    title: string,
    field: 'aboutMarkdown' | 'termsMarkdown' | 'privacyMarkdown',
  ): Handler<typeof declared> =>
  async (services, { origin }) => {
    const settings = services.site.settings()
    const markdown = settings[field]
    if (!markdown) return refuse(sitePageNotFound)
    return sitePage(settings, {
      title,
      canonicalUrl: origin + path,
      body: OperatorPage({ title, html: await render(services, markdown) }),
    })
  }

export const showAbout = operatorPage('/about', 'About', 'aboutMarkdown')
export const showTerms = operatorPage('/terms', 'Terms', 'termsMarkdown')
export const showPrivacy = operatorPage('/privacy', 'Privacy', 'privacyMarkdown')
