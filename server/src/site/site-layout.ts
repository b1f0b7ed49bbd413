import { type Html, html, type PageLayout } from '../platform/http/page.ts'
import { findEntry } from './site-bundle.ts'

// The layout of every page: top bar, footer and content security policy. It is the same for everybody, so that caches can
// store pages; the script adds the account to the bar.

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
  readonly entry?: string
  /** The page has its own search field, so the bar has none. */
  readonly hasOwnSearch?: boolean
  /** The path below which this page's feeds are. */
  readonly feedPath?: string | undefined
}

export const siteLayout = ({ entry, hasOwnSearch = false, feedPath }: SiteLayoutOptions = {}): PageLayout => ({
  head: headOf(entry),
  frame: (body) => html`<a class="skip" href="#main">Skip to the text</a>
${bar(hasOwnSearch)}
${body}
${footer(feedPath)}`,
  policy,
})

function headOf(entry: string | undefined): Html {
  const [style, beforeFirstPaint] = [findEntry('style'), findEntry('before-first-paint')]
  const modules = ['main', ...(entry === undefined ? [] : [entry])].flatMap((name) => findEntry(name) ?? [])
  const shared = new Set(modules.flatMap(({ imports }) => imports))
  return html`${style && html`<link rel="stylesheet" href="/assets/${style.file}">`}
${beforeFirstPaint && html`<script src="/assets/${beforeFirstPaint.file}"></script>`}
${[...shared].map((file) => html`<link rel="modulepreload" href="/assets/${file}">`)}
${modules.map(({ file }) => html`<script type="module" src="/assets/${file}"></script>`)}`
}

const bar = (hasOwnSearch: boolean): Html => html`<header class="bar"><div>
<a class="brand" href="/">Pennypost</a>
${
  !hasOwnSearch &&
  html`<form class="bar-search" role="search" action="/" method="get"><input type="search" name="q" maxlength="100" placeholder="Search" aria-label="Search Posts" autocomplete="off"></form>`
}
<nav class="bar-nav" aria-label="Site"><a href="/leaderboards">Leaders</a><span class="account" data-account><a href="/sign-in">Sign in</a></span></nav>
</div></header>`

const footer = (feedPath: string | undefined): Html => html`<footer class="foot"><div>
${
  feedPath !== undefined &&
  html`<p>Follow by <a href="${feedPath}feed.xml">RSS</a>, <a href="${feedPath}atom.xml">Atom</a> or <a href="${feedPath}feed.json">JSON Feed</a></p>`
}
<p><a href="/docs">API</a> <a href="/llms.txt">For language models</a> <span data-tools></span></p>
</div></footer>`
