import { Parser } from 'htmlparser2'
import { ArchiveError } from './source.ts'

export interface HtmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: HtmlNode[]
  /** Whether a paragraph, list or other block is in it. */
  hasBlock: boolean
}
export type HtmlNode = HtmlElement | string

const blocks = new Set(
  `address article aside blockquote center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
  header hr iframe li main nav ol p pre section summary table tbody td tfoot th thead tr ul video audio`.split(/\s+/),
)
export const isBlock = ({ name }: HtmlElement): boolean => blocks.has(name)

/** Elements whose content is not text of the post. */
const hidden = new Set([
  'script',
  'style',
  'template',
  'head',
  'svg',
  'noscript',
  'button',
  'select',
  'textarea',
  'object',
])

// The code that reads the tree is recursive. Deeper elements are left out, but their text stays.
const maxDepth = 60
// The parser looks through all open elements for each tag.
const maxOpen = 1_000

/** Reads HTML as browsers do, without running or fetching anything. */
export function parseHtml(html: string): HtmlNode[] {
  const root: HtmlElement = { name: '', attributes: {}, children: [], hasBlock: true }
  const open: HtmlElement[] = [root]
  // Names of elements that are open but not in the tree: too deep, or hidden.
  const left: string[] = []
  let hiddenDepth = 0
  const parser = new Parser({
    onopentag(name, attributes) {
      if (open.length + left.length > maxOpen) throw new ArchiveError('The HTML is nested too deeply.')
      if (left.length > 0 || open.length > maxDepth || hidden.has(name)) {
        left.push(name)
        if (hidden.has(name)) hiddenDepth += 1
        return
      }
      const element: HtmlElement = { name, attributes, children: [], hasBlock: false }
      open.at(-1)!.children.push(element)
      if (blocks.has(name)) for (const outer of open) outer.hasBlock = true
      open.push(element)
    },
    ontext(text) {
      if (hiddenDepth > 0) return
      // The parser gives text in pieces: `&amp;` is a separate one.
      const { children } = open.at(-1)!
      if (typeof children.at(-1) === 'string') children.push(`${children.pop() as string}${text}`)
      else children.push(text)
    },
    onclosetag(name) {
      if (left.length > 0) {
        if (left.at(-1) === name) left.pop()
        if (hidden.has(name)) hiddenDepth -= 1
      } else if (open.length > 1 && open.at(-1)!.name === name) open.pop()
    },
  })
  parser.end(html)
  return root.children
}

export const textOf = (node: HtmlNode): string =>
  typeof node === 'string' ? node : node.name === 'br' ? '\n' : node.children.map(textOf).join('')

export const hasClass = ({ attributes }: HtmlElement, name: string): boolean =>
  (attributes.class ?? '').split(/\s+/).includes(name)

/** The first element inside that has this name, or a class when the name starts with a dot. */
export function findInside(node: HtmlElement, wanted: string): HtmlElement | undefined {
  for (const child of node.children) {
    if (typeof child === 'string') continue
    if (wanted.startsWith('.') ? hasClass(child, wanted.slice(1)) : child.name === wanted) return child
    const found = findInside(child, wanted)
    if (found) return found
  }
  return undefined
}

export function* elementsInside(node: HtmlElement): Generator<HtmlElement> {
  for (const child of node.children) {
    if (typeof child === 'string') continue
    yield child
    yield* elementsInside(child)
  }
}
