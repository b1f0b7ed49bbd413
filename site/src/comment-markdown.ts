// The Markdown of comments: emphasis, code, links, lists, quotes and code blocks. The server and browsers run this same code,
// so a comment looks the same before and after it is sent. It returns a tree of known nodes, never HTML: whatever it does not
// know stays text. Every step is linear in the length of the text, because the server does this for each page.

/** Text with emphasis, code, links and mentions. */
export type Inline =
  | string
  | { readonly kind: 'em' | 'strong'; readonly depth: number; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] }
  | { readonly kind: 'mention'; readonly handle: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }

export type Block =
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly children: readonly Block[] }
  | { readonly kind: 'list'; readonly start: number | undefined; readonly items: readonly (readonly Block[])[] }

const maxBlockDepth = 5
const maxEmphasisDepth = 8

/** The blocks of a comment. */
export function parseCommentMarkdown(text: string): Block[] {
  const lines = text
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/^[ \t]+/, (space) => space.replaceAll('\t', '    ')).trimEnd())
  return parseBlocks(lines, 0)
}

// Blocks

const fence = /^( {0,3})(`{3,}|~{3,})[^`]*$/
const quote = /^ {0,3}> ?/
const listItem = /^( {0,3})([-*+]|(\d{1,9})[.)])( +)(?=\S)/
// A line such as `* * *` is a horizontal rule in Markdown. Comments have no rules, and it is not a list either.
const rule = /^ {0,3}([-*_])(?: *\1){2,}$/

function parseBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    const [block, end] =
      line === ''
        ? [undefined, at + 1]
        : (fence.test(line) && parseCode(lines, at)) ||
          (depth < maxBlockDepth &&
            ((quote.test(line) && parseQuote(lines, at, depth)) || parseList(lines, at, depth))) ||
          parseParagraph(lines, at, depth)
    if (block) blocks.push(block)
    at = end
  }
  return blocks
}

type Parsed = readonly [Block, end: number]

/** A block of code, up to a fence of the same kind that is at least as long, or to the end. */
function parseCode(lines: readonly string[], start: number): Parsed {
  const [, indent, mark] = fence.exec(lines[start]!) as unknown as [string, string, string]
  const isClosing = (line: string) => {
    const closing = line.trim()
    return closing.length >= mark.length && closing === mark[0]!.repeat(closing.length) && /^ {0,3}\S/.test(line)
  }
  let end = start + 1
  while (end < lines.length && !isClosing(lines[end]!)) end += 1
  const content = lines.slice(start + 1, end).map((line) => withoutIndent(line, indent.length))
  return [{ kind: 'code', text: content.join('\n') }, end + 1]
}

/** A quote ends with the first line that has no `>`, so that a reply can follow on the next line. */
function parseQuote(lines: readonly string[], start: number, depth: number): Parsed {
  let end = start
  while (end < lines.length && quote.test(lines[end]!)) end += 1
  const content = lines.slice(start, end).map((line) => line.replace(quote, ''))
  return [{ kind: 'quote', children: parseBlocks(content, depth + 1) }, end]
}

/** A list. The lines of an item are indented as far as its text; blank lines between items are ignored. */
function parseList(lines: readonly string[], start: number, depth: number): Parsed | undefined {
  const first = itemAt(lines[start]!)
  if (!first) return undefined
  const items: Block[][] = []
  let at = start
  for (let item: ListItem | undefined = first; item?.kind === first.kind; item = itemAt(lines[at] ?? '')) {
    const content = [lines[at]!.slice(item.width)]
    at += 1
    for (let next = at; next < lines.length; next += 1) {
      const line = lines[next]!
      if (line !== '' && indentOf(line) < item.width) break
      // Blank lines belong to the item only if more of it follows them.
      if (line === '') continue
      content.push(...lines.slice(at, next).map(() => ''), line.slice(item.width))
      at = next + 1
    }
    items.push(parseBlocks(content, depth + 1))
    let next = at
    while (lines[next] === '') next += 1
    if (itemAt(lines[next] ?? '')?.kind === first.kind) at = next
  }
  return [{ kind: 'list', start: first.number, items }, at]
}

interface ListItem {
  /** Another mark begins another list. */
  readonly kind: string
  readonly number: number | undefined
  /** Where its text begins. */
  readonly width: number
}

function itemAt(line: string): ListItem | undefined {
  const found = rule.test(line) ? null : listItem.exec(line)
  if (!found) return undefined
  const [all, indent = '', mark = '', digits, space = ''] = found
  const width = space.length > 4 ? indent.length + mark.length + 1 : all.length
  return { kind: mark.at(-1)!, number: digits === undefined ? undefined : Number(digits), width }
}

/** A paragraph, up to a blank line or another block. Only a list that begins with 1 interrupts a paragraph, as in CommonMark. */
function parseParagraph(lines: readonly string[], start: number, depth: number): Parsed {
  let end = start + 1
  while (end < lines.length && !interrupts(lines[end]!, depth)) end += 1
  const text = lines.slice(start, end).map((line) => line.trim())
  return [{ kind: 'paragraph', children: parseInline(text.join('\n')) }, end]
}

function interrupts(line: string, depth: number): boolean {
  if (line === '' || fence.test(line)) return true
  if (depth >= maxBlockDepth) return false
  const item = itemAt(line)
  return quote.test(line) || (item !== undefined && (item.number ?? 1) === 1)
}

const indentOf = (line: string) => line.length - line.trimStart().length

const withoutIndent = (line: string, width: number) => line.slice(Math.min(width, indentOf(line)))

// Text

/** A run of `*` or `_` that may begin or end emphasis. */
interface Delimiter {
  readonly kind: 'delimiter'
  readonly mark: string
  /** As it was written. */
  readonly length: number
  /** How many are not used yet. */
  left: number
  readonly canOpen: boolean
  readonly canClose: boolean
}

type Item = Inline | Delimiter

// An escape, a run of backticks, a run of emphasis marks, a bracket, a URL (in angle brackets or not), a mention or a line end.
// The mention is as the contract recognises it: not in a word, an email address or `@ada@host`.
const token =
  /\\[!-/:-@[-`{-~]|`+|\*+|_+|!?\[|\]|<https?:\/\/[^\s<>]+>|(?<![\p{L}\p{N}])https?:\/\/[^\s<>[\]"`]+|(?<![\p{L}\p{M}\p{N}_@/])@[A-Za-z0-9_]+(?![\p{L}\p{M}\p{N}_@])|\n/gu
// The target of a link, after its text. A title is allowed and ignored.
const target = /\(\s*<?((?:[^\s()<>]|\([^\s()<>]*\))+)>?(?:\s+"[^"]*")?\s*\)/y
// A name before the host (`https://bank.example@host/`) only serves to deceive.
const permitted = /^https?:\/\/[^\s\\/?#<>"@]+(?:[/?#][^\s\\<>"]*)?$/i

function parseInline(text: string): Inline[] {
  const items: Item[] = []
  /** Where the brackets are that may begin a link. */
  let brackets: number[] = []
  const unclosed = new Set<number>()
  let at = 0
  for (const { 0: found, index } of tokensOf(text, () => at)) {
    if (index > at) items.push(text.slice(at, index))
    at = index + found.length
    const first = found[0]!
    if (first === '\\') items.push(found[1]!)
    else if (first === '\n') items.push({ kind: 'break' })
    else if (first === '`') {
      const end = unclosed.has(found.length) ? undefined : endOfCode(text, at, found.length)
      if (end === undefined) {
        unclosed.add(found.length)
        items.push(found)
      } else {
        items.push({ kind: 'code', text: codeText(text.slice(at, end)) })
        at = end + found.length
      }
    } else if (first === '*' || first === '_') items.push(delimiterAt(text, index, found))
    else if (found.endsWith('[')) {
      brackets.push(items.length)
      items.push(found)
    } else if (first === ']') {
      const start = brackets.pop()
      target.lastIndex = at
      const href = start === undefined ? undefined : target.exec(text)?.[1]
      if (href === undefined || !permitted.test(href)) items.push(found)
      else {
        const label = withEmphasis(items.splice(start!).slice(1)).map(withoutLink)
        items.push({ kind: 'link', href, children: label.length > 0 ? label : [href] })
        at = target.lastIndex
        // A link contains no links.
        brackets = []
      }
    } else if (first === '@') items.push({ kind: 'mention', handle: found.slice(1) })
    else {
      const href = first === '<' ? found.slice(1, -1) : withoutPunctuation(found)
      if (first !== '<') at = index + href.length
      items.push(permitted.test(href) ? { kind: 'link', href, children: [href] } : text.slice(index, at))
    }
  }
  if (at < text.length) items.push(text.slice(at))
  return joined(withEmphasis(items))
}

/** The tokens of a text. The position can be moved on between two of them. */
function* tokensOf(text: string, position: () => number): Generator<RegExpExecArray> {
  for (;;) {
    token.lastIndex = position()
    const found = token.exec(text)
    if (!found) return
    yield found
  }
}

/** Where the code ends that began with this many backticks. */
function endOfCode(text: string, from: number, length: number): number | undefined {
  const run = /`+/g
  run.lastIndex = from
  for (let found = run.exec(text); found; found = run.exec(text)) if (found[0].length === length) return found.index
  return undefined
}

function codeText(written: string): string {
  const text = written.replaceAll('\n', ' ')
  return /^ .* $/.test(text) && text.trim() !== '' ? text.slice(1, -1) : text
}

/** A URL without the punctuation that ends the sentence around it. */
function withoutPunctuation(url: string): string {
  let end = url.length
  let unopened = url.split(')').length - url.split('(').length
  for (; end > 0; end -= 1) {
    const last = url[end - 1]!
    if (last === ')' && unopened > 0) unopened -= 1
    else if (!"?!.,:;*_~'\\".includes(last)) break
  }
  return url.slice(0, end)
}

const space = /^\s?$/u
const punctuation = /[\p{P}\p{S}]/u

/** Whether a run of marks begins or ends emphasis depends on what is around it: the rules of CommonMark. */
function delimiterAt(text: string, index: number, run: string): Delimiter {
  const before = /.?$/su.exec(text.slice(Math.max(0, index - 2), index))![0]
  const after = String.fromCodePoint(text.codePointAt(index + run.length) ?? 0x20)
  const [spaceBefore, spaceAfter] = [space.test(before), space.test(after)]
  const [markBefore, markAfter] = [punctuation.test(before), punctuation.test(after)]
  const isLeft = !spaceAfter && (!markAfter || spaceBefore || markBefore)
  const isRight = !spaceBefore && (!markBefore || spaceAfter || markAfter)
  const mark = run[0]!
  return {
    kind: 'delimiter',
    mark,
    length: run.length,
    left: run.length,
    canOpen: isLeft && (mark === '*' || !isRight || markBefore),
    canClose: isRight && (mark === '*' || !isLeft || markAfter),
  }
}

/** Turns pairs of delimiters into emphasis, and the others into text. */
function withEmphasis(items: readonly Item[]): Inline[] {
  const out: Item[] = []
  /** Where the delimiters are that may begin emphasis. */
  const openers: number[] = []
  // Below these positions no opener fits a closer of this kind: it was looked for already.
  const bottoms = new Map<string, number>()
  for (const item of items) {
    if (!isDelimiter(item)) {
      out.push(item)
      continue
    }
    while (item.canClose && item.left > 0) {
      const kind = `${item.mark}${item.canOpen}${item.length % 3}`
      const bottom = bottoms.get(kind) ?? 0
      let found = openers.length - 1
      while (found >= 0 && openers[found]! >= bottom && !fits(out[openers[found]!] as Delimiter, item)) found -= 1
      const position = openers[found] ?? -1
      if (position < bottom) {
        bottoms.set(kind, out.length)
        break
      }
      const opener = out[position] as Delimiter
      const used = Math.min(2, opener.left, item.left)
      const children = joined(out.splice(position + 1).map(asText))
      opener.left -= used
      item.left -= used
      openers.length = opener.left > 0 ? found + 1 : found
      if (opener.left === 0) out.pop()
      const depth =
        1 + Math.max(0, ...children.map((child) => (typeof child === 'object' && 'depth' in child ? child.depth : 0)))
      if (depth > maxEmphasisDepth) out.push(...children)
      else out.push({ kind: used === 2 ? 'strong' : 'em', depth, children })
      for (const [each, known] of bottoms) bottoms.set(each, Math.min(known, out.length))
    }
    if (item.left === 0) continue
    if (item.canOpen) openers.push(out.length)
    out.push(item)
  }
  return joined(out.map(asText))
}

/** The "rule of three": `*a**b*` is not emphasis that ends in the middle. */
const fits = (opener: Delimiter, closer: Delimiter): boolean =>
  opener.mark === closer.mark &&
  (!(opener.canClose || closer.canOpen) ||
    (opener.length + closer.length) % 3 !== 0 ||
    (opener.length % 3 === 0 && closer.length % 3 === 0))

const isDelimiter = (item: Item): item is Delimiter => typeof item === 'object' && item.kind === 'delimiter'

const asText = (item: Item): Inline => (isDelimiter(item) ? item.mark.repeat(item.left) : item)

/** What is inside a link is neither a link nor a mention. */
function withoutLink(item: Inline): Inline {
  if (typeof item === 'string' || item.kind === 'code' || item.kind === 'break') return item
  if (item.kind === 'mention') return `@${item.handle}`
  if (item.kind === 'link') return item.href
  return { ...item, children: item.children.map(withoutLink) }
}

/** Adjacent texts as one. */
function joined(items: readonly Inline[]): Inline[] {
  const out: Inline[] = []
  for (const item of items) {
    const last = out.at(-1)
    if (typeof item === 'string' && typeof last === 'string') out[out.length - 1] = last + item
    else out.push(item)
  }
  return out
}
