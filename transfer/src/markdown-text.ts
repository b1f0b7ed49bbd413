// Writing text as Markdown that says the same, whatever characters are in it.

/** Marks around emphasized text until its neighbours are known. Characters for private use: no font has them. */
const marks = {
  strong: { open: '\uE000', close: '\uE001', written: '**' },
  em: { open: '\uE002', close: '\uE003', written: '*' },
  s: { open: '\uE004', close: '\uE005', written: '~~' },
} as const
export type Emphasis = keyof typeof marks

const anyMark = /[\uE000-\uE005]/g

/** Escapes what would be markup. An underscore within a word is not markup, and URLs often have one. */
export const escapeText = (text: string): string =>
  text
    .replace(anyMark, '')
    .replace(/[\\`*[\]<]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/~~/g, '\\~\\~')
    .replace(/&(?=#?\w{1,32};)/g, '\\&')

/** The text without the spaces at its ends, and those. Regular expressions would look at long runs of spaces many times. */
export function splitSpaces(text: string): { before: string; inner: string; after: string } {
  const inner = text.trim()
  const start = text.length - text.trimStart().length
  return { before: text.slice(0, start), inner, after: inner === '' ? '' : text.slice(start + inner.length) }
}

/** Emphasizes text. Spaces at its ends stay outside, because inside they would end the markup. */
export function emphasize(kind: Emphasis, text: string): string {
  const { before, inner, after } = splitSpaces(text)
  return inner === '' ? text : `${before}${marks[kind].open}${inner}${marks[kind].close}${after}`
}

/** Writes the marks of a paragraph. Those that Markdown would not read as markup, because of a neighbour, are left out. */
export function writeMarks(given: string): string {
  // Two parts that follow each other directly are one.
  const text = given.replace(/\uE001\uE000|\uE003\uE002|\uE005\uE004/g, '')
  const kept = new Map<number, string>()
  const open: { kind: Emphasis; at: number }[] = []
  for (const { 0: mark, index } of text.matchAll(anyMark)) {
    const kind = (Object.keys(marks) as Emphasis[]).find(
      (name) => mark === marks[name].open || mark === marks[name].close,
    )!
    if (mark === marks[kind].open) {
      open.push({ kind, at: index })
      continue
    }
    const last = open.pop()
    if (last?.kind !== kind) continue
    if (canOpen(text, last.at) && canOpen(text, index, true)) {
      kept.set(last.at, marks[kind].written)
      kept.set(index, marks[kind].written)
    }
  }
  return text.replace(anyMark, (_, index: number) => kept.get(index) ?? '')
}

/** CommonMark's rule of flanking delimiters, read backwards for one that closes. */
function canOpen(text: string, at: number, isClosing = false): boolean {
  const inside = neighbour(text, at, isClosing ? -1 : 1)
  const outside = neighbour(text, at, isClosing ? 1 : -1)
  if (/^\s?$/.test(inside)) return false
  return !/[\p{P}\p{S}]/u.test(inside) || /^$|[\s\p{P}\p{S}]/u.test(outside)
}

function neighbour(text: string, at: number, step: 1 | -1): string {
  let place = at + step
  while (/[\uE000-\uE005]/.test(text[place] ?? '')) place += step
  return text[place] ?? ''
}

/** Escapes what would begin a heading, list, quote or line at the beginning of a line. */
export const escapeLineStarts = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimStart())
    .map((line) => line.replace(/^([#>+=-]|:(?=-))/, '\\$1').replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2'))
    .join('\n')

/** Text in backticks, more of them than it has in a row. */
export function writeCode(text: string): string {
  const code = text.replace(/\s*\n\s*/g, ' ')
  if (code.trim() === '') return code
  const fence = '`'.repeat(longestRun(code, '`') + 1)
  const padding = /^`|`$/.test(code) || (/^ .* $/.test(code) && code.trim() !== '') ? ' ' : ''
  return `${fence}${padding}${code}${padding}${fence}`
}

export function writeCodeBlock(code: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(code, '`') + 1))
  return `${fence}${language}\n${code.replace(/\n$/, '')}\n${fence}`
}

const longestRun = (text: string, character: string): number => {
  let longest = 0
  for (const [run] of text.matchAll(new RegExp(`${character}+`, 'g'))) longest = Math.max(longest, run.length)
  return longest
}

/** The target of a link. Brackets keep parentheses and spaces in it. */
export function writeTarget(url: string): string {
  const safe = url.replace(/[\s<>\\]/g, (character) => encodeURIComponent(character))
  return /[()]/.test(safe) ? `<${safe}>` : safe
}

/** A title after the target of a link or image. */
export const writeTitle = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line === '' ? '' : ` "${line.replace(/[\\"]/g, '\\$&').replace(/&(?=#?\w{1,32};)/g, '\\&')}"`
}

export const indent = (text: string, spaces: number): string => text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(spaces)}`)
