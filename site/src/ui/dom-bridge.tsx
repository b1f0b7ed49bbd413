import type { Markup } from '../jsx/markup.ts'
import { render } from '../jsx/render.ts'

// For the pages that still create their elements themselves with `h`. It goes when they are components.

/** A component as an element. */
export function toElement(markup: Markup): Element {
  const place = document.createElement('div')
  render(markup, place)
  return place.firstElementChild!
}
