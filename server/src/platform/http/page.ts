import { type Children, type Markup, rawMarkup, renderToString } from '@pennypost/site/jsx/markup'

export interface Page {
  readonly html: string
  readonly headers: Record<string, string>
}

export type Html = Markup

/**
 * Builds markup, for pages without components. Values are escaped; other markup and lists are inlined; null, undefined and
 * booleans become nothing. Always quote attribute values: without quotes, a space would end the value.
 * @example html`<a href="/docs#${name}">${summary}</a>`
 */
export function html(literals: TemplateStringsArray, ...values: readonly Children[]): Html {
  let text = literals[0]!
  for (let index = 0; index < values.length; index += 1) text += renderToString(values[index]) + literals[index + 1]
  return rawMarkup(text)
}

/** Text with `code` between backticks, as the contract writes it. */
export const markdownCode = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`

/** Markup that a sanitizer wrote. Never pass anything else. */
export const sanitizedHtml = (markup: string): Html => rawMarkup(markup)

const escapedInScript = /[<>&\u2028\u2029]/g

/** Structured data (JSON-LD). Browsers do not run this type of script, and no value can end the element. */
export const jsonLd = (facts: unknown): Html =>
  rawMarkup(
    `<script type="application/ld+json">${JSON.stringify(facts).replace(
      escapedInScript,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )}</script>`,
  )

/** The layout of pages: what goes into the head, around the content, and into the Content-Security-Policy. */
export interface PageLayout {
  /** Ends the title of every page. */
  readonly siteName: string
  readonly head: Html
  /** Returns all markup of the body. */
  frame(body: Html): Html
  readonly policy: readonly string[]
  /** Other hosts that images are loaded from. */
  readonly imageHosts?: readonly string[]
  /** Other origins that a form on the page may lead to, by a redirect. */
  readonly formTargets?: readonly string[]
  /** Which sites may show the page in a frame. By default none. */
  readonly framedBy?: '*'
}

/**
 * Makes the layout of a page, from the current settings of the site. `style` is one more style sheet of the bundle, `entry` the
 * page's script.
 */
export type CreateLayout = (options?: { readonly style?: string; readonly entry?: string }) => PageLayout

const headersFor = ({ policy, imageHosts = [], formTargets = [], framedBy }: PageLayout) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    ...policy,
    ["img-src 'self'", ...imageHosts].join(' '),
    ["form-action 'self'", ...formTargets].join(' '),
    `frame-ancestors ${framedBy ?? "'none'"}`,
    "base-uri 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
})

export interface PageContent {
  /** Omitted for the home page, whose title is the name of the site. */
  readonly title?: string | undefined
  /** Contains a `<main id="main">`. */
  readonly body: Html
  readonly description?: string
  /** More elements for the head: links, structured data. */
  readonly head?: Html
  readonly layout: PageLayout
}

/** A whole HTML page. It loads nothing from other hosts. */
export function page({ title, body, description, head: more, layout }: PageContent): Page {
  const head = html`<meta charset="utf-8">
<title>${title === undefined ? layout.siteName : `${title} · ${layout.siteName}`}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${description !== undefined && html`<meta name="description" content="${description}">`}
${more}
${layout.head}`
  return {
    html: `<!doctype html>
<html lang="en">
<head>
${renderToString(head)}
</head>
<body>
${renderToString(layout.frame(body))}
</body>
</html>
`,
    headers: headersFor(layout),
  }
}
