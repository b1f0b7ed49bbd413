import type { SiteSettings } from '@pennypost/contract/site-settings'
import { AccentStyle, PageFiles, SiteHead } from '@pennypost/site/components/head'
import { SiteLayout } from '@pennypost/site/components/site-layout'
import type { Markup } from '@pennypost/site/jsx/markup'
import { html, type PageLayout } from '../platform/http/page.ts'
import { findEntry } from './site-bundle.ts'

/** Only our own scripts, nothing inline. Trusted Types allow our sanitizer's HTML and the service worker's URL. */
const policy = [
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types sanitized worker',
]

export interface SiteLayoutOptions {
  /** The names of this page's script and of one more style sheet in the bundle. */
  readonly entry?: string | undefined
  readonly style?: string | undefined
  /** The page has its own search field, so the bar has none. */
  readonly hasOwnSearch?: boolean | undefined
  /** The path below which this page's feeds are. */
  readonly feedPath?: string | undefined
}

/** The layout of every page: top bar, footer, the files it loads, and its content security policy. */
export function siteLayout(site: SiteSettings, options: SiteLayoutOptions = {}): PageLayout {
  const { entry, style, hasOwnSearch, feedPath } = options
  const { name, logoUrl, iconUrl, accentColor, navigation } = site
  return {
    siteName: name,
    head: html`${SiteHead({ name, iconUrl, accentColor })}${filesOf(entry, style)}${accentColor && AccentStyle({ color: accentColor })}`,
    frame: (body) =>
      SiteLayout({ name, logoUrl, navigation, pages: pagesOf(site), hasOwnSearch, feedPath, children: body }),
    policy,
    imageHosts: [logoUrl, iconUrl].flatMap((url) => (url?.startsWith('https:') ? [new URL(url).origin] : [])),
  }
}

/** The operator's own pages, as far as they are written. */
export const pagesOf = ({ aboutMarkdown, termsMarkdown, privacyMarkdown }: SiteSettings) =>
  [
    { label: 'About', url: '/about', markdown: aboutMarkdown },
    { label: 'Terms', url: '/terms', markdown: termsMarkdown },
    { label: 'Privacy', url: '/privacy', markdown: privacyMarkdown },
  ].filter(({ markdown }) => markdown)

// The bundle does not change while the process runs, and every page has these.
const knownFiles = new Map<string, Markup>()

/** The files of the bundle that a page loads: styles, what runs before the first paint, and its scripts. */
function filesOf(entry: string | undefined, style: string | undefined): Markup {
  const key = `${entry} ${style}`
  const known = knownFiles.get(key)
  if (known) return known
  const modules = ['main', ...(entry === undefined ? [] : [entry])].flatMap((name) => findEntry(name) ?? [])
  const files = PageFiles({
    styles: ['style', ...(style === undefined ? [] : [style])].flatMap((name) => findEntry(name)?.file ?? []),
    beforeFirstPaint: findEntry('before-first-paint')?.file,
    preloads: [...new Set(modules.flatMap(({ imports }) => imports))],
    modules: modules.map(({ file }) => file),
  })
  knownFiles.set(key, files)
  return files
}
