import { cleanText } from '@pennypost/site/clean-text'
import { escapeHtml } from '@pennypost/site/escape-html'

// The class is not exported, so only the `xml` tag, which escapes, can make a value of it.
class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Xml = Markup
type Inlined = string | number | undefined | false | Xml | readonly Inlined[]

/** A template tag for XML. Values are escaped, without the characters that XML forbids. Attributes must be quoted. */
export function xml(literals: TemplateStringsArray, ...values: readonly Inlined[]): Xml {
  return new Markup(literals.reduce((text, literal, index) => text + markupOf(values[index - 1]) + literal))
}

function markupOf(value: Inlined): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(markupOf).join('')
  return escapeHtml(cleanText(String(value)))
}

/** An XML document with its declaration. */
export const xmlDocument = (root: Xml): string => `<?xml version="1.0" encoding="UTF-8"?>\n${root.text}\n`
