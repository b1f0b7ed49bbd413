export type Child = Node | string | number | false | null | undefined | readonly Child[]

type Properties = Readonly<Record<string, string | number | boolean | ((event: Event) => unknown) | undefined>>

/**
 * Creates an element. Strings become text nodes, never markup. A function is an event listener, `true` an attribute
 * without a value.
 * @example h('button', { class: 'small', onclick: save }, 'Save')
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  append(element, children)
  return element
}

export function append(parent: ParentNode, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue
    if (Array.isArray(child)) append(parent, child)
    else parent.append(child instanceof Node ? child : String(child))
  }
}

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
