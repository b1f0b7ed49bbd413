import type { CollectedImages } from './collected-images.ts'
import { writeTitle } from './markdown-text.ts'
import type { FileSource } from './source.ts'

/** Finds the images of a Markdown text and replaces their addresses with `image:KEY`. Code is left as it is. */
export const hostImages = (
  markdown: string,
  images: CollectedImages,
  sourceOf: (address: string) => FileSource | undefined,
): string =>
  replaceImages(markdown, (address) => {
    const source = /^image:/.test(address) ? undefined : sourceOf(address)
    return source && images.add(source)
  })

/** Replaces the addresses of images that have a key with `image:KEY`. Everything else, and code, is left as it is. */
export function replaceImages(markdown: string, keyOf: (address: string) => string | undefined): string {
  const definitions = definitionsIn(markdown)
  return outsideCode(markdown, (text) =>
    text
      .replace(
        /!\[((?:\\.|[^\]\\]){0,300})\]\(\s*(?:<([^<>\n]{1,2000})>|([^\s()<>]{1,2000}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?))(\s+(?:"(?:\\.|[^"\\]){0,300}"|'(?:\\.|[^'\\]){0,300}'))?\s*\)/g,
        (whole, alt: string, inBrackets: string | undefined, plain: string | undefined, title = '') => {
          const key = keyOf(inBrackets ?? plain!)
          return key === undefined ? whole : `![${alt}](image:${key}${title})`
        },
      )
      .replace(/!\[((?:\\.|[^\]\\]){0,300})\]\[([^\]]{0,200})\]/g, (whole, alt: string, label: string) => {
        const key = keyOf(definitions.get((label || alt).toLowerCase()) ?? '')
        return key === undefined ? whole : `![${alt}](image:${key})`
      })
      .replace(/<img\b([^<>]{0,4000})>/gi, (whole, attributes: string) => {
        const key = keyOf(attribute(attributes, 'src'))
        if (key === undefined) return whole
        return `![${attribute(attributes, 'alt').replace(/[[\]\\]/g, '\\$&')}](image:${key}${writeTitle(attribute(attributes, 'title'))})`
      }),
  )
}

const attribute = (attributes: string, name: string): string =>
  new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i')
    .exec(attributes)
    ?.slice(1)
    .find((value) => value !== undefined) ?? ''

function definitionsIn(markdown: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, label, address] of markdown.matchAll(/^ {0,3}\[([^\]\n^]{1,200})\]:[ \t]*<?([^\s<>]{1,2000})>?/gm))
    if (!found.has(label!.toLowerCase())) found.set(label!.toLowerCase(), address!)
  return found
}

/** Which lines are part of a fenced code block, its fences included. */
export function codeLines(lines: readonly string[]): boolean[] {
  let fence: string | undefined
  return lines.map((line) => {
    const [, found] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (fence === undefined) {
      fence = found
      return found !== undefined
    }
    if (found?.startsWith(fence) && /^[`~\s]*$/.test(line)) fence = undefined
    return true
  })
}

/** Changes a text, but not its code blocks and code spans. */
export function outsideCode(markdown: string, change: (text: string) => string): string {
  const lines = markdown.split('\n')
  const isCode = codeLines(lines)
  const result: string[] = []
  let outside: string[] = []
  const flush = () => {
    if (outside.length > 0) result.push(outsideSpans(outside.join('\n'), change))
    outside = []
  }
  for (const [index, line] of lines.entries()) {
    if (isCode[index]) {
      flush()
      result.push(line)
    } else outside.push(line)
  }
  flush()
  return result.join('\n')
}

function outsideSpans(text: string, change: (text: string) => string): string {
  const parts: string[] = []
  let from = 0
  for (const { index, end } of codeSpans(text)) {
    parts.push(change(text.slice(from, index)), text.slice(index, end))
    from = end
  }
  return [...parts, change(text.slice(from))].join('')
}

/** A span ends with as many backticks as it begins with. Places are looked up by length, so that many runs cost little. */
function codeSpans(text: string): { index: number; end: number }[] {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ index, length }))
  const places = new Map<number, { list: number[]; next: number }>()
  runs.forEach(({ length }, place) => {
    const same = places.get(length) ?? { list: [], next: 0 }
    same.list.push(place)
    places.set(length, same)
  })
  const spans: { index: number; end: number }[] = []
  for (let place = 0; place < runs.length; place += 1) {
    const { index, length } = runs[place]!
    if (text[index - 1] === '\\') continue
    const same = places.get(length)!
    while (same.next < same.list.length && same.list[same.next]! <= place) same.next += 1
    const closing = same.list[same.next]
    if (closing === undefined) continue
    spans.push({ index, end: runs[closing]!.index + length })
    place = closing
  }
  return spans
}
