import { ArchiveError } from './source.ts'

const maxFields = 200

/** The rows of a CSV file with a header line, each by the names of its columns. Quotes may contain commas and lines. */
export function readCsv(text: string): Record<string, string>[] {
  const [header, ...rows] = linesOf(text)
  if (!header) return []
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name.trim(), row[index] ?? ''])))
}

function linesOf(text: string): string[][] {
  const lines: string[][] = []
  let line: string[] = []
  let at = 0
  while (at < text.length) {
    const { value, next } = fieldAt(text, at)
    line.push(value)
    if (line.length > maxFields) throw new ArchiveError('The CSV file has too many columns.')
    at = next + 1
    if (text[next] === ',') continue
    if (text[next] === '\r' && text[next + 1] === '\n') at += 1
    if (line.length > 1 || line[0] !== '') lines.push(line)
    line = []
  }
  if (line.length > 0) lines.push(line)
  return lines
}

function fieldAt(text: string, start: number): { value: string; next: number } {
  if (text[start] !== '"') {
    let next = start
    while (next < text.length && !',\r\n'.includes(text[next]!)) next += 1
    return { value: text.slice(start, next), next }
  }
  const parts: string[] = []
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) throw new ArchiveError('The CSV file ends inside quotes.')
    parts.push(text.slice(at, quote))
    if (text[quote + 1] !== '"') {
      const rest = fieldAt(text, quote + 1)
      return { value: parts.join('') + rest.value, next: rest.next }
    }
    parts.push('"')
    at = quote + 2
  }
}
