import { type ComponentChild, render as renderWithPreact } from 'preact'
import type { Children } from './markup.ts'

const rendered = new WeakSet<Element>()

/** Shows components in an element of the page, in place of what the server rendered there. */
export function render(children: Children, place: Element): void {
  // Preact would reuse the server's elements and leave those in the place that the component does not have.
  if (!rendered.has(place)) place.replaceChildren()
  rendered.add(place)
  renderWithPreact(children as ComponentChild, place)
}
