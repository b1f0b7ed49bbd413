export type Child = Node | string | number | false | null | undefined | readonly Child[]

type Properties = Readonly<Record<string, string | number | boolean | ((event: Event) => unknown) | undefined>>

/**
 * An element. Text stays text whatever it holds; a function is a listener, `true` an attribute without a value.
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

export const find = <Element extends HTMLElement>(selector: string, within: ParentNode = document): Element | null =>
  within.querySelector<Element>(selector)

/** The same where a page always has one. */
export function the<Element extends HTMLElement>(selector: string, within: ParentNode = document): Element {
  const found = find<Element>(selector, within)
  if (!found) throw new Error(`this page has no ${selector}`)
  return found
}

/** Shows what a page is about, in place of what it said before. */
export function show(...children: readonly Child[]): void {
  const view = the('[data-view]')
  view.replaceChildren()
  view.removeAttribute('aria-busy')
  append(view, children)
}

/** A few words that go away by themselves; read out, too. */
export function say(words: string): void {
  const place =
    find('.toasts') ?? document.body.appendChild(h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' }))
  const line = h('p', {}, words)
  place.append(line)
  setTimeout(() => line.remove(), 5000)
}

/** Asks before something that cannot be taken back; with a label it asks for words too. Undefined: they thought better of it. */
export function askFirst(question: string, act: string, label?: string): Promise<string | undefined> {
  const words = label === undefined ? undefined : h('textarea', { required: true, maxlength: 2000, rows: 4 })
  const dialog = h(
    'dialog',
    { 'aria-label': question },
    h(
      'form',
      { method: 'dialog', class: 'card' },
      h('h2', {}, question),
      words && h('label', { class: 'field' }, label, words),
      h(
        'div',
        { class: 'row' },
        h('button', { class: 'quiet-button', value: '', formnovalidate: true }, 'Cancel'),
        h('button', { value: 'yes' }, act),
      ),
    ),
  )
  document.body.append(dialog)
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'yes' ? (words?.value ?? '') : undefined)
    })
  })
}
