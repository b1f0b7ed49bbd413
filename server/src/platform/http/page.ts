import { createHash } from 'node:crypto'
import { pageStyle } from './page-style.ts'

export interface Page {
  readonly html: string
  readonly headers: Record<string, string>
}

// The class stays in this file: markup comes out of the `html` tag, which escapes, or not at all.
class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Html = Markup

type Inlined = string | number | null | undefined | false | Html | readonly Inlined[]

/**
 * Markup whose every value is escaped; other markup and lists are inlined, and nothing stays nothing. Attribute values
 * are to be quoted: a value cannot leave its quotes, but without quotes a space is enough.
 * @example html`<a href="/docs#${name}">${summary}</a>`
 */
export function html(literals: TemplateStringsArray, ...values: readonly Inlined[]): Html {
  let text = literals[0]!
  for (let index = 0; index < values.length; index += 1) text += markupOf(values[index]) + literals[index + 1]
  return new Markup(text)
}

const special = /[&<>"']/

function markupOf(value: Inlined): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') {
    let text = ''
    for (const part of value) text += markupOf(part)
    return text
  }
  const text = String(value)
  // Most texts need no escape, and looking is cheaper than writing anew.
  return special.test(text) ? text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`) : text
}

/** Text as the contract writes it: `code` between backticks. */
export const markdownCode = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`

/** Markup that was made safe elsewhere: what the sanitizer of Posts wrote, and nothing else. */
export const sanitizedHtml = (markup: string): Html => new Markup(markup)

const escapedInScript = /[<>&\u2028\u2029]/g

/** Facts for machines, inside a page. Not a script: browsers run no such type, and no value can end the element. */
export const jsonLd = (facts: unknown): Html =>
  new Markup(
    `<script type="application/ld+json">${JSON.stringify(facts).replace(
      escapedInScript,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )}</script>`,
  )

/** How pages look: what stands in their head, around their text, and what their policy allows. */
export interface PageLayout {
  readonly head: Html
  /** All the markup of the body. */
  frame(body: Html): Html
  readonly policy: readonly string[]
}

/** The look of pages that ask for nothing else: one inlined style, allowed by its hash, and no script. */
const plainLayout: PageLayout = {
  // The style is the one text that must not be escaped: its hash is of these very bytes. It never holds a `<`.
  head: new Markup(`<style>${pageStyle}</style>`),
  frame: (body) => html`<a class="skip" href="#main">Skip to the text</a>
<header class="masthead"><a href="/">Pennypost</a> <nav aria-label="Site"><a href="/docs">API</a></nav></header>
${body}`,
  policy: [`style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`],
}

const headersFor = ({ policy }: PageLayout) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    ...policy,
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
})

export interface PageContent {
  readonly title: string
  /** Holds a `<main id="main">`. */
  readonly body: Html
  readonly description?: string
  /** More for the head: links, facts for machines. */
  readonly head?: Html
  readonly layout?: PageLayout
}

/** A page without a word from another host. */
export function page({ title, body, description, head: more, layout: look = plainLayout }: PageContent): Page {
  const head = html`<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${description !== undefined && html`<meta name="description" content="${description}">`}
${more}
${look.head}`
  return {
    html: `<!doctype html>
<html lang="en">
<head>
${head.text}
</head>
<body>
${look.frame(body).text}
</body>
</html>
`,
    headers: headersFor(look),
  }
}
