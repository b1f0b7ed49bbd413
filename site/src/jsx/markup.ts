import { escapeHtml } from '../escape-html.ts'

// Markup is the type that components return. On the server JSX becomes text, in a browser Preact's elements (`jsx-runtime.ts`). This file
// is the server's side. It imports no types of Preact: those would bring the browser's globals into the server's program.

declare const brand: unique symbol

/** The result of a component. Only JSX, the server's `html` tag and `rawMarkup` make one. */
export interface Markup {
  readonly [brand]: true
}

/** The content of an element. Strings are text; null, undefined and booleans are nothing. */
export type Children = Markup | string | number | boolean | null | undefined | readonly Children[]

// Not exported, so that no other code can make one from a string.
class MarkupText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Markup from a string that is HTML already: written by our sanitizer, or put together from escaped parts. */
export const rawMarkup = (html: string): Markup => new MarkupText(html) as unknown as Markup

/** The HTML of children: text is escaped, markup is not. */
export function renderToString(children: Children): string {
  if (typeof children === 'string') return escapeHtml(children)
  if (children instanceof MarkupText) return children.text
  if (typeof children === 'number') return String(children)
  if (typeof children !== 'object' || children === null) return ''
  let html = ''
  // Any other object is not iterable and throws: an object of a stranger never counts as markup.
  for (const child of children as readonly Children[]) html += renderToString(child)
  return html
}
