import { webUrl } from './collected-images.ts'
import { type Context, type HtmlOptions, imageOf, inlineOf, labelOf } from './html-inline.ts'
import {
  elementsInside,
  findInside,
  type HtmlElement,
  type HtmlNode,
  hasClass,
  isBlock,
  parseHtml,
  textOf,
} from './html-tree.ts'
import { emphasize, escapeLineStarts, indent, writeCodeBlock, writeMarks } from './markdown-text.ts'
import { ArchiveError } from './source.ts'

const maxCharacters = 2_000_000
// Each level adds characters to all its lines.
const maxNesting = 12

/** Turns the HTML of a post into Markdown. Nothing in it is run or fetched. */
export function htmlToMarkdown(html: string, options: HtmlOptions): string {
  if (html.length > maxCharacters) throw new ArchiveError(`The text has more than ${maxCharacters} characters.`)
  return blocksOf(parseHtml(html), { ...options, nesting: 0 })
    .join('\n\n')
    .trim()
}

/** The blocks of a list of nodes: what is between two blocks is a paragraph. */
function blocksOf(nodes: readonly HtmlNode[], context: Context): string[] {
  const found: string[] = []
  let run: HtmlNode[] = []
  const endRun = () => {
    const text = paragraphOf(run, context)
    if (text !== '') found.push(text)
    run = []
  }
  for (const node of nodes) {
    if (typeof node === 'string' || !(isBlock(node) || node.hasBlock)) {
      run.push(node)
      continue
    }
    endRun()
    const written = blockOf(node, context)
    for (const block of typeof written === 'string' ? [written] : written) if (block.trim() !== '') found.push(block)
  }
  endRun()
  return found
}

function paragraphOf(nodes: readonly HtmlNode[], context: Context): string {
  const text = writeMarks(inlineOf(nodes, context, new Set()))
    // Long runs first: the expressions below would look at them again from each of their characters.
    .replace(/ {20,}/g, ' ')
    .replace(/(?: ?\\\n *){2,}/g, '\\\n\\\n')
    .replace(/ *\\\n */g, '\\\n')
    .replace(/^(?:\\\n|\s)+|(?:\\\n|\s){1,30}$/g, '')
  return escapeLineStarts(text)
}

function blockOf(element: HtmlElement, context: Context): string | string[] {
  const { name, children } = element
  if (hasClass(element, 'kg-bookmark-card')) return bareLink(findInside(element, 'a')?.attributes.href, context)
  if (hasClass(element, 'footnote')) return footnoteOf(element, context)
  if (/^h[1-6]$/.test(name)) {
    const text = paragraphOf(children, context).replace(/\\?\n/g, ' ')
    return text === '' ? [] : `${'#'.repeat(Number(name[1]))} ${text}`
  }
  switch (name) {
    case 'hr':
      return '---'
    case 'blockquote':
      return nested(
        context,
        (inner) => blocksOf(children, inner).join('\n\n').replace(/^/gm, '> ').replace(/^> $/gm, '>'),
        children,
      )
    case 'pre':
      return codeBlockOf(element)
    case 'ul':
    case 'ol':
      return nested(context, (inner) => listOf(element, inner), children)
    case 'table':
      return tableOf(element, context)
    case 'figure':
      return figureOf(element, context)
    case 'iframe':
      return bareLink(embeddedPage(element.attributes.src), context)
    case 'video':
    case 'audio':
      return bareLink(element.attributes.src ?? findInside(element, 'source')?.attributes.src, context)
    case 'dt':
      return writeMarks(emphasize('strong', paragraphOf(children, context)))
    default:
      return blocksOf(children, context)
  }
}

/** Writes something that is nested, or only its text where it is nested too deeply. */
const nested = (
  context: Context,
  write: (inner: Context) => string,
  children: readonly HtmlNode[],
): string | string[] =>
  context.nesting >= maxNesting ? paragraphOf(children, context) : write({ ...context, nesting: context.nesting + 1 })

function codeBlockOf(element: HtmlElement): string {
  const classes = `${element.attributes.class ?? ''} ${findInside(element, 'code')?.attributes.class ?? ''}`
  const [, language = ''] = /(?:language-|lang-|brush:\s*)([\w+#-]{1,30})/.exec(classes) ?? []
  return writeCodeBlock(textOf(element).replace(/\r\n?/g, '\n').replace(/^\n/, ''), language)
}

function listOf({ name, attributes, children }: HtmlElement, context: Context): string {
  const items = children.filter((child): child is HtmlElement => typeof child !== 'string')
  const first = name === 'ol' && /^\d{1,8}$/.test(attributes.start ?? '') ? Number(attributes.start) : 1
  const written = items.map((item, index) => {
    const marker = name === 'ol' ? `${first + index}. ` : '- '
    const box = checkboxOf(item)?.attributes
    const task = box?.type === 'checkbox' ? ('checked' in box ? '[x] ' : '[ ] ') : ''
    // A list directly inside a list, without an item, belongs to the item before.
    const blocks = item.name === 'ul' || item.name === 'ol' ? [listOf(item, context)] : blocksOf(item.children, context)
    const isTight = blocks.every((block, place) => place === 0 || /^(- |\d+\. )/.test(block))
    return `${marker}${task}${indent(blocks.join(isTight ? '\n' : '\n\n'), marker.length)}`
  })
  return written.join(written.some((item) => item.includes('\n\n')) ? '\n\n' : '\n')
}

/** The checkbox of a task, ignoring those of nested lists. */
function checkboxOf({ children }: HtmlElement): HtmlElement | undefined {
  for (const child of children) {
    if (typeof child === 'string' || child.name === 'ul' || child.name === 'ol') continue
    const found = child.name === 'input' ? child : findInside(child, 'input')
    if (found) return found
  }
  return undefined
}

/** The rows of a table, without those of tables inside of it. */
const rowsOf = (node: HtmlElement): HtmlElement[] =>
  node.children.flatMap((child) => {
    if (typeof child === 'string' || child.name === 'table') return []
    return child.name === 'tr' ? [child] : rowsOf(child)
  })

function tableOf(table: HtmlElement, context: Context): string | string[] {
  const rows = rowsOf(table)
    .map(({ children }) =>
      children.filter((cell): cell is HtmlElement => typeof cell !== 'string' && /^t[dh]$/.test(cell.name)),
    )
    .filter((cells) => cells.length > 0)
  const width = Math.min(50, Math.max(0, ...rows.map((cells) => cells.length)))
  if (width === 0) return []
  // A single cell is not a table but a frame around something.
  if (rows.length === 1 && width === 1) return blocksOf(rows[0]![0]!.children, context)
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`
  const cellText = (cell: HtmlElement) =>
    writeMarks(inlineOf(cell.children, context, new Set()))
      .replace(/\\\n|\s+/g, ' ')
      .trim()
      .replace(/(?<!\\)\|/g, '\\|')
  const [head, ...body] = rows.map((cells) => cells.map(cellText))
  return [line(head!), line(Array.from({ length: width }, () => '---')), ...body.map(line)].join('\n')
}

/** An image with its caption; several images one after the other; or whatever else is in the figure. */
function figureOf(figure: HtmlElement, context: Context): string[] {
  const caption = findInside(figure, 'figcaption')
  const images = [...elementsInside(figure)].filter(({ name }) => name === 'img')
  if (images.length === 0 || findInside(figure, 'table') || findInside(figure, 'blockquote'))
    return blocksOf(figure.children, context)
  const text = caption ? textOf(caption).replace(/\s+/g, ' ').trim() : ''
  const written = images.map((image, at) => imageOf(image, context, at === images.length - 1 ? text : ''))
  return written.filter((image) => image !== '')
}

/** A link alone in its paragraph, which the site shows as a card. */
function bareLink(href: string | undefined, { baseUrl, note }: Context): string | string[] {
  const url = webUrl(href ?? '', baseUrl)
  if (url !== undefined) return `<${url.replace(/[<>\s]/g, encodeURIComponent)}>`
  note('Something embedded was left out: it has no address.')
  return []
}

/** The page of an embedded video: what people would link to. */
function embeddedPage(src = ''): string {
  const [, video] = /^(?:https?:)?\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/([\w-]{5,20})/.exec(src) ?? []
  if (video !== undefined) return `https://www.youtube.com/watch?v=${video}`
  const [, vimeo] = /^(?:https?:)?\/\/player\.vimeo\.com\/video\/(\d{1,15})/.exec(src) ?? []
  if (vimeo !== undefined) return `https://vimeo.com/${vimeo}`
  return src.startsWith('//') ? `https:${src}` : src
}

function footnoteOf(element: HtmlElement, context: Context): string | string[] {
  const number = findInside(element, '.footnote-number')
  const content = findInside(element, '.footnote-content')
  if (!number || !content) return blocksOf(element.children, context)
  return `[^${labelOf(number)}]: ${indent(blocksOf(content.children, context).join('\n\n'), 4)}`
}
