import { PageFiles } from '@pennypost/site/components/head'
import { SiteLayout } from '@pennypost/site/components/site-layout'
import type { Markup } from '@pennypost/site/jsx/markup'
import type { PageLayout } from '../platform/http/page.ts'
import { findEntry } from './site-bundle.ts'

/** Only our own scripts, nothing inline. Trusted Types allow our sanitizer's HTML and the service worker's URL. */
const policy = [
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types sanitized worker',
]

export interface SiteLayoutOptions {
  /** The name of this page's script in the bundle. */
  readonly entry?: string | undefined
  /** The page has its own search field, so the bar has none. */
  readonly hasOwnSearch?: boolean | undefined
  /** The path below which this page's feeds are. */
  readonly feedPath?: string | undefined
}

/** The layout of every page: top bar, footer, the files it loads, and its content security policy. */
export const siteLayout = ({ entry, hasOwnSearch, feedPath }: SiteLayoutOptions = {}): PageLayout => ({
  head: filesOf(entry),
  frame: (body) => SiteLayout({ hasOwnSearch, feedPath, children: body }),
  policy,
})

// The bundle does not change while the process runs, and every page has these.
const filesByEntry = new Map<string | undefined, Markup>()

/** The files of the bundle that a page loads: styles, what runs before the first paint, and its scripts. */
function filesOf(entry: string | undefined): Markup {
  const known = filesByEntry.get(entry)
  if (known) return known
  const modules = ['main', ...(entry === undefined ? [] : [entry])].flatMap((name) => findEntry(name) ?? [])
  const files = PageFiles({
    style: findEntry('style')?.file,
    beforeFirstPaint: findEntry('before-first-paint')?.file,
    preloads: [...new Set(modules.flatMap(({ imports }) => imports))],
    modules: modules.map(({ file }) => file),
  })
  filesByEntry.set(entry, files)
  return files
}
