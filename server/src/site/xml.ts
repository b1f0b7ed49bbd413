import { escapeHtml } from '../platform/escape-html.ts'
import { legible } from './legible.ts'

// The class stays in this file: what is XML came out of the `xml` tag, which escapes.
class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Xml = Markup
type Inlined = string | number | undefined | false | Xml | readonly Inlined[]

/** XML whose every value is text without the characters that XML forbids, and escaped. Attribute values are to be quoted. */
export function xml(literals: TemplateStringsArray, ...values: readonly Inlined[]): Xml {
  return new Markup(literals.reduce((text, literal, index) => text + markupOf(values[index - 1]) + literal))
}

function markupOf(value: Inlined): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(markupOf).join('')
  return escapeHtml(legible(String(value)))
}

/** A whole document. */
export const xmlDocument = (root: Xml): string => `<?xml version="1.0" encoding="UTF-8"?>\n${root.text}\n`
