import {
  type showGuide as declared,
  type getGuideMarkdown as declaredMarkdown,
  guideNotFound,
} from '@pennypost/contract/guides'
import { GuidePage } from '@pennypost/site/components/guide-page'
import { etagOf } from '../../platform/http/conditional-request.ts'
import { html } from '../../platform/http/page.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { sitePage } from '../site-page.ts'
import { withOrigin } from './guide-links.ts'
import { type Guide, listGuides } from './guides.ts'

type Reply = ReturnType<typeof sitePage>

// By origin and guide. The page around a guide is made again when the settings of the site have changed.
const shown = new Map<string, { readonly settings: object; readonly reply: Reply }>()

export const showGuide: Handler<typeof declared> = async ({ site }, { params, origin }) => {
  const guides = listGuides()
  const index = guides.findIndex(({ slug }) => slug === params.guide)
  const guide = guides[index] ?? refuse(guideNotFound)
  const settings = site.settings()
  const key = `${guide.slug} ${origin}`
  const known = shown.get(key)
  if (known?.settings === settings) return known.reply
  const path = `/docs/${guide.slug}`
  const reply = sitePage(settings, {
    title: guide.title,
    description: guide.description,
    canonicalUrl: origin + path,
    head: html`<link rel="alternate" type="text/markdown" href="${path}.md">`,
    style: 'docs',
    entry: 'guide',
    body: GuidePage({
      groups: groupsOf(guides),
      path,
      html: withOrigin(guide.html, origin),
      headings: guide.sections.filter(({ level }) => level === 2),
      previous: linkTo(guides[index - 1]),
      next: linkTo(guides[index + 1]),
    }),
  })
  shown.set(key, { settings, reply })
  return reply
}

const linkTo = (guide: Guide | undefined) => guide && { title: guide.title, url: `/docs/${guide.slug}` }

const groupsOf = (guides: readonly Guide[]) =>
  [...new Set(guides.map(({ group }) => group))].map((title) => ({
    title,
    guides: guides.filter(({ group }) => group === title).map((guide) => linkTo(guide)!),
  }))

export const getGuideMarkdown: Handler<typeof declaredMarkdown> = async (_services, { params, origin }) => {
  const guide = listGuides().find(({ slug }) => slug === params.guide) ?? refuse(guideNotFound)
  const body = withOrigin(guide.markdown.replaceAll('](/docs/', `](${origin}/docs/`), origin)
  return { status: 200, headers: { etag: etagOf(body) }, body }
}
