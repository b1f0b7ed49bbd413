import { type CollectedImages, dataImage, webUrl } from './collected-images.ts'
import { type HtmlElement, type HtmlNode, hasClass, isBlock, textOf } from './html-tree.ts'
import {
  type Emphasis,
  emphasize,
  escapeText,
  splitSpaces,
  writeCode,
  writeTarget,
  writeTitle,
} from './markdown-text.ts'
import type { FileSource } from './source.ts'

// Text within a paragraph: emphasis, links, images and code.

export interface HtmlOptions {
  readonly images: CollectedImages
  /** The old site, for links and images without an origin. */
  readonly baseUrl?: string | undefined
  /** Finds an image in the archive. */
  readonly findImage?: (src: string) => FileSource | undefined
  /** Called with what could not be kept. */
  readonly note: (text: string) => void
}

export interface Context extends HtmlOptions {
  readonly nesting: number
}

const emphasisOf: Readonly<Record<string, Emphasis>> = {
  b: 'strong',
  strong: 'strong',
  i: 'em',
  em: 'em',
  cite: 'em',
  s: 's',
  del: 's',
  strike: 's',
}

/** `inside` has the kinds of emphasis, and links, that are open: Markdown does not nest them in themselves. */
export function inlineOf(nodes: readonly HtmlNode[], context: Context, inside: ReadonlySet<string>): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return escapeText(node.replace(/[ \t\r\n\f]+/g, ' '))
      const { name, attributes, children } = node
      const text = () => inlineOf(children, context, inside)
      const emphasis = emphasisOf[name]
      if (emphasis !== undefined)
        return inside.has(emphasis)
          ? text()
          : emphasize(emphasis, inlineOf(children, context, new Set([...inside, emphasis])))
      if (name === 'br') return '\\\n'
      if (name === 'img') return imageOf(node, context)
      if (name === 'code' || name === 'kbd' || name === 'samp' || name === 'tt') return writeCode(textOf(node))
      if (name === 'a' && hasClass(node, 'footnote-anchor')) return `[^${labelOf(node)}]`
      if (name === 'a' && !inside.has('a')) return linkOf(node, context, inside)
      // An input is written by its list.
      if (name === 'input') return ''
      // A block where none is possible, such as in a table cell.
      return isBlock(node) ? ` ${text()} ` : attributes.hidden === undefined ? text() : ''
    })
    .join('')
}

function linkOf({ attributes, children }: HtmlElement, context: Context, inside: ReadonlySet<string>): string {
  const text = inlineOf(children, context, new Set([...inside, 'a']))
  const href = (attributes.href ?? '').trim()
  const url = /^mailto:[^\s<>]+$/i.test(href) ? href : href.startsWith('#') ? undefined : webUrl(href, context.baseUrl)
  const { before, inner, after } = splitSpaces(text)
  if (url === undefined || inner === '') return text
  // An image that leads to its own larger copy.
  if (/^!\[[^\]]*\]\(image:\w+[^)]*\)$/.test(inner) && /\.(png|jpe?g|gif|webp)(\?|$)/i.test(url)) return text
  const plain = children.map(textOf).join('').trim()
  if (plain === url || plain === href) return `${before}<${url.replace(/[<>\s]/g, encodeURIComponent)}>${after}`
  return `${before}[${inner}](${writeTarget(url)}${writeTitle(attributes.title ?? '')})${after}`
}

export function imageOf({ attributes }: HtmlElement, context: Context, caption = ''): string {
  const { images, baseUrl, findImage, note } = context
  const src = attributes.src ?? attributes['data-src'] ?? ''
  const url = webUrl(src, baseUrl)
  const source = findImage?.(src) ?? dataImage(src) ?? (url === undefined ? undefined : ({ kind: 'url', url } as const))
  const key = source && images.add(source)
  const alt = escapeText((attributes.alt ?? '').replace(/\s+/g, ' ').trim())
  if (key === undefined) {
    note(`An image was left out: ${src === '' ? 'it has no address' : src.slice(0, 200)}`)
    return alt
  }
  return `![${alt}](image:${key}${writeTitle(caption || (attributes.title ?? ''))})`
}

export const labelOf = (node: HtmlNode): string => textOf(node).replace(/[^\w-]/g, '') || 'note'
