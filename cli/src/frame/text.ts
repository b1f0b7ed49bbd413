import { printable, printableLine } from './printable.ts'

const styles = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

/**
 * A piece of text with a style. It is a value, not a string with escape codes, so that the output can clean all strings in
 * the same way.
 */
export interface Styled {
  readonly style: keyof typeof styles
  readonly text: string
}

export type Part = string | Styled
export type Line = Part | readonly Part[]

export const styled = (style: keyof typeof styles, text: string): Styled => ({ style, text })
export const bold = (text: string): Styled => styled('bold', text)
export const dim = (text: string): Styled => styled('dim', text)

/** One line for the terminal, cleaned, with colours or without. */
export function renderLine(line: Line, hasColour: boolean): string {
  const parts = Array.isArray(line) ? (line as readonly Part[]) : [line as Part]
  return parts.map((part) => renderPart(part, hasColour)).join('')
}

function renderPart(part: Part, hasColour: boolean): string {
  if (typeof part === 'string') return printable(part)
  if (!hasColour) return printable(part.text)
  const [on, off] = styles[part.style]
  return `\u001b[${on}m${printable(part.text)}\u001b[${off}m`
}

/**
 * Rows as aligned columns. Each cell is one line; the last column is not padded.
 * @example table([['price', '0.1 XNO'], ['status', 'draft']])
 */
export function table(rows: readonly (readonly Part[])[], header?: readonly string[]): Line[] {
  const lines = rows.map((row) => row.map(oneLine))
  const all: Part[][] = header ? [header.map(dim), ...lines] : lines
  const widths = all.reduce<number[]>(
    (most, row) => row.map((cell, index) => Math.max(most[index] ?? 0, widthOf(textOf(cell)))),
    [],
  )
  return all.map((row) =>
    row.flatMap((cell, index) =>
      index === row.length - 1 ? [cell] : [cell, ' '.repeat(widths[index]! - widthOf(textOf(cell)) + 2)],
    ),
  )
}

/** The same lines, two spaces to the right. */
export const indented = (lines: readonly Line[]): Line[] =>
  lines.map((line) => ['  ', ...[line].flat()] as readonly Part[])

const textOf = (part: Part): string => (typeof part === 'string' ? part : part.text)

const oneLine = (part: Part): Part =>
  typeof part === 'string' ? printableLine(part) : { ...part, text: printableLine(part.text) }

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const wide =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|[\uff01-\uff60]/u

/** The columns that a text takes in a terminal: East Asian letters and emoji take two. */
export function widthOf(text: string): number {
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}

/** A text that is at most this wide, with an ellipsis if it was cut. */
export function cut(text: string, columns: number): string {
  const line = printableLine(text)
  if (widthOf(line) <= columns) return line
  let result = ''
  for (const { segment } of segmenter.segment(line)) {
    if (widthOf(result + segment) > columns - 1) break
    result += segment
  }
  return `${result}…`
}
