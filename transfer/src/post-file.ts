import { frontMatter } from '@pennypost/contract/front-matter'
import { readFrontMatter } from './front-matter.ts'
import { codeLines, outsideCode } from './markdown-images.ts'

// The one format of a post in a Markdown file, for the export, the import and the command line: facts as front matter, the
// free text, and after a line `<!--paid-->` the paid text.

export interface PostFile {
  readonly facts: Readonly<Record<string, unknown>>
  readonly free: string
  /** The text after the mark, or undefined without one. */
  readonly paid: string | undefined
}

const mark = '<!--paid-->'
const paidMark = /^[ \t]*<!--\s*(?:members-only|paid|paywall)\s*-->[ \t]*\r?$/i

/** Separates the facts, the free and the paid text of a file. */
export function readPostFile(file: string): PostFile & { readonly text: string } {
  const { facts, text } = readFrontMatter(file.replace(/^\uFEFF/, ''))
  // A file that was saved by an editor of Windows. Text with such line breaks inside a file with others stays as it is.
  const isWindows = /^[^\n]*\r\n/.test(file)
  const whole = isWindows ? text.replaceAll('\r\n', '\n') : text
  return { facts, text: whole, ...splitPaid(whole) }
}

/** Splits a text at the first mark that is not part of code. */
export function splitPaid(text: string): { free: string; paid: string | undefined } {
  const { free, paid } = splitAtLine(text)
  // A mark within a line counts too: one that is not seen would make the rest free.
  const apart = outsideCode(free, (part) => part.replace(/<!--\s*(?:members-only|paid|paywall)\s*-->/gi, '\n$&\n'))
  if (apart === free) return { free, paid }
  const earlier = splitAtLine(apart)
  return { free: earlier.free, paid: [earlier.paid, paid].filter((part) => part !== undefined).join('\n\n') }
}

function splitAtLine(text: string): { free: string; paid: string | undefined } {
  const lines = text.split('\n')
  const isCode = codeLines(lines)
  const at = lines.findIndex((line, index) => paidMark.test(line) && !isCode[index])
  if (at === -1) return { free: text, paid: undefined }
  const free = lines.slice(0, at).join('\n')
  const paid = lines.slice(at + 1).join('\n')
  // The empty lines around the mark belong to it.
  return { free: free.replace(/\n$/, ''), paid: paid.replace(/^\n/, '') }
}

/**
 * Writes a post as one file, or returns undefined if its free text would hide the mark or looks like one: then the paid text
 * needs its own file.
 */
export function writePostFile({ facts, free, paid = '' }: PostFile): string | undefined {
  const head = frontMatter(facts)
  if (paid === '') return splitPaid(free).paid === undefined ? `${head}${free}` : undefined
  const split = splitPaid(`${free}\n\n${mark}\n\n${paid}`)
  return split.free === free && split.paid === paid ? `${head}${free}\n\n${mark}\n\n${paid}` : undefined
}

/** The title: the fact, or the first heading, which is then no part of the text. */
export function titleOf({ facts, free }: Pick<PostFile, 'facts' | 'free'>): { title: string; free: string } {
  const fact = facts.title
  if (typeof fact === 'number' || (typeof fact === 'string' && fact.trim() !== ''))
    return { title: String(fact).trim(), free }
  const [, heading] = /^\s*#[ \t]+([^\n]{1,300})/.exec(free) ?? []
  if (heading === undefined) return { title: '', free }
  return { title: heading.replace(/[ \t]#+[ \t]*$/, '').trim(), free: free.replace(/^\s*#[^\n]*\n*/, '') }
}
