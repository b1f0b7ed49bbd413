import { parse } from 'yaml'
import { ArchiveError } from './source.ts'

export interface FrontMatter {
  readonly facts: Readonly<Record<string, unknown>>
  readonly text: string
}

const maxCharacters = 100_000
const yamlStart = /^---[ \t]*\r?\n/
const yamlEnd = /^(?:---|\.\.\.)[ \t]*$/m
const tomlStart = /^\+\+\+[ \t]*\r?\n/
const tomlEnd = /^\+\+\+[ \t]*$/m

/** Separates the facts at the beginning of a Markdown file from its text: YAML between `---`, or Hugo's TOML between `+++`. */
export function readFrontMatter(file: string): FrontMatter {
  const whole = { facts: {}, text: file }
  const [start, end] = yamlStart.test(file) ? [yamlStart, yamlEnd] : [tomlStart, tomlEnd]
  const opening = start.exec(file)
  if (!opening) return whole
  const rest = file.slice(opening[0].length, opening[0].length + maxCharacters)
  const closing = end.exec(rest)
  if (!closing) return whole
  const source = rest.slice(0, closing.index)
  const facts = start === yamlStart ? yamlFacts(source) : tomlFacts(source)
  // Not a front matter but a horizontal rule, and text.
  if (!facts) return whole
  const text = file.slice(opening[0].length + closing.index + closing[0].length)
  return { facts, text: text.replace(/^\r?\n(?:[ \t]*\r?\n)?/, '') }
}

function yamlFacts(source: string): Record<string, unknown> | undefined {
  if (source.trim() === '') return {}
  try {
    // Without aliases: a few lines of them can expand to gigabytes. With `silent`, any text would be accepted.
    const facts: unknown = parse(source, { maxAliasCount: 0, schema: 'core', logLevel: 'error' })
    return typeof facts === 'object' && facts !== null && !Array.isArray(facts)
      ? (facts as Record<string, unknown>)
      : undefined
  } catch (error) {
    // Text between two horizontal rules is not YAML either, but it does not begin with a name and a colon.
    if (!/^\s*["']?[\w-]{1,100}["']?[ \t]*:(?:\s|$)/.test(source)) return undefined
    // Without its facts, a draft or a paid post would be published for everyone.
    throw new ArchiveError(`Its front matter cannot be read: ${(error as Error).message.split('\n')[0]}`)
  }
}

/** The part of TOML that front matters use: a value, or a list of values, in a line. */
function tomlFacts(source: string): Record<string, unknown> {
  const facts: Record<string, unknown> = Object.create(null)
  for (const line of source.split(/\r?\n/)) {
    if (/^\s*\[/.test(line)) break
    const [, name, value] = /^\s*([\w-]{1,100})\s*=\s*(.*?)\s*$/.exec(line.slice(0, 10_000)) ?? []
    if (name !== undefined && name !== '__proto__') facts[name] = tomlValue(value!)
  }
  return facts
}

function tomlValue(text: string): unknown {
  if (/^'.*'$/.test(text)) return text.slice(1, -1)
  try {
    return JSON.parse(text.replace(/,\s*\]$/, ']').replaceAll(/'([^'"]*)'/g, '"$1"'))
  } catch {
    return text
  }
}
