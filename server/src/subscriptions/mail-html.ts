import { escapeHtml } from '@pennypost/site/escape-html'

// Turns the HTML of a post, as our sanitizer wrote it, into HTML and text for email. The sanitizer spells every tag in one
// way and escapes all other brackets, so the tags can be found without a parser.

export interface MailHtmlOptions {
  /** The canonical URL of the post. */
  readonly url: string
  readonly origin: string
  readonly accentColor: string
  /** Longer HTML is cut between two blocks. */
  readonly maxBytes: number
}

export interface MailHtml {
  readonly html: string
  readonly isCut: boolean
}

const tag = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)(?: \/)?>/g
const attributeOf = (attributes: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1]

const mono = 'ui-monospace,SFMono-Regular,Menlo,Consolas,monospace'
const serif = "'Iowan Old Style',Charter,'Noto Serif','Palatino Linotype',Georgia,serif"
const line = '#e4ddd3'
const heading = (size: number) => `margin:28px 0 10px;font:600 ${size}px/1.25 ${serif}`
const cell = `border:1px solid ${line};padding:6px 8px`

/** The elements that an email keeps, with their styles. Email clients ignore most style sheets. */
const styles: Readonly<Record<string, string>> = {
  p: 'margin:0 0 16px',
  br: '',
  hr: `border:0;border-top:1px solid ${line};margin:24px 0`,
  blockquote: `margin:0 0 16px;padding:2px 0 2px 16px;border-left:3px solid ${line}`,
  pre: `margin:0 0 16px;padding:12px;border-radius:6px;background:#f4efe8;font:13px/1.5 ${mono};white-space:pre-wrap;overflow-wrap:anywhere`,
  code: `font-family:${mono};font-size:.92em`,
  ul: 'margin:0 0 16px;padding-left:24px',
  ol: 'margin:0 0 16px;padding-left:24px',
  li: 'margin:0 0 6px',
  em: '',
  strong: '',
  s: '',
  sup: '',
  table: 'border-collapse:collapse;margin:0 0 16px;font-size:14px',
  thead: '',
  tbody: '',
  tr: '',
  th: `${cell};text-align:left`,
  td: cell,
  h1: heading(26),
  h2: heading(22),
  h3: heading(19),
  h4: heading(17),
  h5: heading(16),
  h6: heading(15),
  section: `margin:24px 0 0;padding:12px 0 0;border-top:1px solid ${line};font-size:14px`,
  figure: 'margin:0 0 16px',
  figcaption: 'margin:6px 0 0;font-size:14px;text-align:center;opacity:.75',
  img: 'max-width:100%;height:auto;border:0;border-radius:6px',
}
/** Written with these attributes; all others, such as classes and ids, are left out. */
const kept: Readonly<Record<string, readonly string[]>> = { ol: ['start'], li: ['value'], th: ['align'], td: ['align'] }
const voidElements = new Set(['br', 'hr', 'img', 'input'])

/** Where a link of the post leads from an email: anchors lead to the page. */
const absolute = (href: string, { url, origin }: Pick<MailHtmlOptions, 'url' | 'origin'>): string => {
  if (href.startsWith('#')) return escapeHtml(url) + href
  return href.startsWith('/') ? escapeHtml(origin) + href : href
}

/**
 * The post as HTML for email: inline styles, absolute links, no classes. What email cannot show is simplified: a formula is
 * a link to the page, the mark of a footnote is its number, a task has a box as text, and a link card is a link.
 */
export function mailHtml(storedHtml: string, options: MailHtmlOptions): MailHtml {
  const blocks: string[] = []
  let block = ''
  let bytes = 0
  let depth = 0
  let isCut = false
  const write = (text: string) => {
    block += text
  }
  const endBlock = () => {
    const size = Buffer.byteLength(block)
    if (bytes + size > options.maxBytes) isCut = true
    else blocks.push(block)
    bytes += size
    block = ''
  }
  eachPart(storedHtml, {
    text: write,
    formula: () => write(`<a href="${escapeHtml(options.url)}" style="color:${options.accentColor}">[formula]</a>`),
    open(name, attributes) {
      if (!voidElements.has(name)) depth += 1
      if (name === 'input') return write(attributes.includes('checked=') ? '☑' : '☐')
      if (name === 'a') {
        const isCard = attributeOf(attributes, 'class') === 'link-card'
        const card = isCard ? `;display:block;padding:10px 14px;border:1px solid ${line};border-radius:8px` : ''
        const href = absolute(attributeOf(attributes, 'href') ?? '#', options)
        return write(`<a href="${href}" style="color:${options.accentColor}${card}">`)
      }
      const style = styles[name]
      if (style === undefined) return
      const source =
        name === 'img'
          ? ` src="${attributeOf(attributes, 'src') ?? ''}" alt="${attributeOf(attributes, 'alt') ?? ''}"`
          : ''
      const others = (kept[name] ?? []).map((key) => {
        const value = attributeOf(attributes, key)
        return value === undefined ? '' : ` ${key}="${value}"`
      })
      write(`<${name}${source}${others.join('')}${style && ` style="${style}"`}${voidElements.has(name) ? ' /' : ''}>`)
    },
    close(name) {
      depth -= 1
      if (name === 'a' || styles[name] !== undefined) write(`</${name}>`)
    },
    between: () => {
      if (depth === 0) endBlock()
      return isCut
    },
  })
  if (!isCut && block !== '') endBlock()
  return { html: blocks.join(''), isCut }
}

export interface MailTextOptions extends Pick<MailHtmlOptions, 'url' | 'origin'> {
  readonly maxCharacters: number
}

/** The post as plain text for email: paragraphs, lists, and the targets of links in parentheses. */
export function mailText(storedHtml: string, options: MailTextOptions): { text: string; isCut: boolean } {
  const page = new TextPage()
  const lists: { next: number | undefined }[] = []
  const links: { readonly href: string; readonly start: string; readonly isCard: boolean }[] = []
  let isVerbatim = false
  const isCut = () => page.length > options.maxCharacters
  eachPart(storedHtml, {
    text: (written) => page.write(decoded(written), isVerbatim),
    formula: () => page.write('[formula]'),
    open(name, attributes) {
      if (name === 'ul' || name === 'ol') {
        page.newLine(lists.length > 0 ? 1 : 2)
        lists.push({ next: name === 'ol' ? Number(attributeOf(attributes, 'start') ?? 1) : undefined })
      } else if (name === 'li') {
        page.newLine(1)
        const list = lists.at(-1)
        if (list?.next !== undefined) list.next = Number(attributeOf(attributes, 'value') ?? list.next)
        const mark = list?.next === undefined ? '- ' : `${list.next++}. `
        page.write('  '.repeat(Math.max(0, lists.length - 1)) + mark, true)
      } else if (name === 'br' || name === 'tr') page.newLine(1)
      else if (name === 'hr') {
        page.newLine(2)
        page.write('* * *')
        page.newLine(2)
      } else if (name === 'td' || name === 'th') page.write(page.line.trim() === '' ? '' : ' | ')
      else if (name === 'figcaption') page.newLine(1)
      else if (name === 'sup') page.write('[')
      else if (name === 'input') page.write(attributes.includes('checked=') ? '[x]' : '[ ]')
      else if (name === 'img') page.write(`[Image: ${decoded(attributeOf(attributes, 'alt') ?? '')}]`)
      else if (name === 'a') {
        const href = decoded(absolute(attributeOf(attributes, 'href') ?? '#', options))
        links.push({ href, start: page.line, isCard: attributeOf(attributes, 'class') === 'link-card' })
      } else if (isBlock(name) && !(name === 'p' && lists.length > 0)) page.newLine(2)
      if (name === 'pre') isVerbatim = true
    },
    close(name) {
      if (name === 'ul' || name === 'ol') {
        lists.pop()
        page.newLine(lists.length > 0 ? 1 : 2)
      } else if (name === 'a') page.endLink(links.pop()!)
      else if (name === 'sup') page.write(']')
      else if (isBlock(name)) {
        if (name === 'pre') isVerbatim = false
        page.newLine(lists.length > 0 ? 1 : 2)
      }
    },
    between: isCut,
  })
  const text = page.end()
  return isCut() ? { text: `${text.slice(0, options.maxCharacters)}…`, isCut: true } : { text, isCut: false }
}

/** Text that is written line by line, so that nothing has to look at all of it again. */
class TextPage {
  /** The text since the last line break. */
  line = ''
  /** The length of all earlier lines. */
  length = 0
  private readonly pieces: string[] = []
  private breaks = 0

  write(text: string, isVerbatim = false): void {
    const collapsed = isVerbatim ? text : text.replace(/\s+/g, ' ')
    this.line += !isVerbatim && /(^|\s)$/.test(this.line.slice(-1)) ? collapsed.trimStart() : collapsed
  }

  /** Ends the line, and leaves as many line breaks after it as wanted, however often it is called. */
  newLine(count: number): void {
    const line = this.line.trimEnd()
    this.line = ''
    if (line !== '') {
      this.add(line)
      this.breaks = 0
    }
    for (; this.length > 0 && this.breaks < count; this.breaks += 1) this.add('\n')
  }

  /** Says where a link leads, unless its text does. */
  endLink({ href, start, isCard }: { readonly href: string; readonly start: string; readonly isCard: boolean }): void {
    const label = this.line.startsWith(start) ? this.line.slice(start.length) : this.line
    if (isCard) this.line = start + href
    else if (label.trim() !== href) this.line += ` (${href})`
  }

  end(): string {
    this.newLine(0)
    return this.pieces.join('').trim()
  }

  private add(text: string): void {
    this.pieces.push(text)
    this.length += text.length
  }
}

const isBlock = (name: string): boolean => /^(p|h[1-6]|blockquote|pre|table|section|figure)$/.test(name)

const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => characters[name]!).replaceAll('&#39;', "'")

interface Parts {
  text(written: string): void
  /** Instead of all that a formula consists of. */
  formula(): void
  open(name: string, attributes: string): void
  close(name: string): void
  /** After each tag. Ends the walk if it returns true. */
  between(): boolean
}

/**
 * Walks over the parts of stored HTML. Left out: marks of highlighted code, the contents of formulas, links back from
 * footnotes, and the links of footnote marks, whose numbers stay.
 */
function eachPart(storedHtml: string, parts: Parts): void {
  let position = 0
  let isInMath = false
  // The links that are open: of footnotes only the text is kept, or nothing.
  const anchors: ('link' | 'text' | 'nothing')[] = []
  const isHidden = () => isInMath || anchors.at(-1) === 'nothing'
  for (const found of storedHtml.matchAll(tag)) {
    const [whole, slash, name = '', attributes = ''] = found
    if (found.index > position && !isHidden()) parts.text(storedHtml.slice(position, found.index))
    position = found.index + whole.length
    if (name === 'math') {
      isInMath = slash === ''
      if (isInMath) parts.formula()
    } else if (isInMath || name === 'span') continue
    else if (name === 'a' && slash === '') {
      const kind = anchorKind(attributes)
      anchors.push(kind)
      if (kind === 'link') parts.open(name, attributes)
    } else if (name === 'a') {
      if (anchors.pop() === 'link') parts.close(name)
    } else if (slash === '') parts.open(name, attributes)
    else parts.close(name)
    if (parts.between()) return
  }
  if (position < storedHtml.length && !isHidden()) parts.text(storedHtml.slice(position))
}

function anchorKind(attributes: string): 'link' | 'text' | 'nothing' {
  const role = attributeOf(attributes, 'role')
  if (role === 'doc-backlink') return 'nothing'
  return role === 'doc-noteref' ? 'text' : 'link'
}
