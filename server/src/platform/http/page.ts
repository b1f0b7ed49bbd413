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
  return new Markup(literals.reduce((text, literal, index) => text + markupOf(values[index - 1]) + literal))
}

function markupOf(value: Inlined): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(markupOf).join('')
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Text as the contract writes it: `code` between backticks. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`

const styleHash = createHash('sha256').update(pageStyle).digest('base64')

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
}

/** A page that needs nothing else: one style, no script, no other host. Its body holds a `<main id="main">`. */
export function page({ title, body, description }: { title: string; body: Html; description?: string }): Page {
  const head = html`<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${description !== undefined && html`<meta name="description" content="${description}">`}`
  const frame = html`<a class="skip" href="#main">Skip to the text</a>
<header class="masthead"><a href="/docs">Pennypost</a></header>
${body}`
  return {
    // The style is the one text that must not be escaped: its hash is of these very bytes.
    html: `<!doctype html>
<html lang="en">
<head>
${head.text}
<style>${pageStyle}</style>
</head>
<body>
${frame.text}
</body>
</html>
`,
    headers: { ...headers },
  }
}
