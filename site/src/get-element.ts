export const findElement = <Element extends HTMLElement>(
  selector: string,
  within: ParentNode = document,
): Element | null => within.querySelector<Element>(selector)

/** Like `findElement`, for an element that the page always has. */
export function getElement<Element extends HTMLElement>(selector: string, within: ParentNode = document): Element {
  const found = findElement<Element>(selector, within)
  if (!found) throw new Error(`this page has no ${selector}`)
  return found
}
