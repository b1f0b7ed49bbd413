import { createRequire } from 'node:module'
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'
import type { PostEnv } from './post-env.ts'

interface Temml {
  renderToString(tex: string, options: object): string
}

// Loaded with the first formula: it takes 50 ms, and most posts have none.
const require = createRequire(import.meta.url)
let loaded: Temml | undefined
const temml = (): Temml => {
  loaded ??= require('temml') as Temml
  return loaded
}

/** The longest formula, in characters. One that is longer stays as it was typed. */
const maxFormula = 2000
/**
 * The most MathML in one part. A formula may become forty times as long, and 2,000 characters take up to 30 ms. Formulas
 * beyond it stay as they were typed.
 */
const maxMathMl = 400_000

const options = { throwOnError: true, trust: false, maxExpand: 200, maxSize: [20, 20], wrap: 'none' }

/**
 * Formulas in TeX, if the post has them: `$…$` in a line, and `$$…$$` in a line or on separate lines. They become MathML,
 * which browsers show without a script and without a font of ours.
 */
export function formulas(md: MarkdownIt): void {
  md.inline.ruler.after('escape', 'formula', inlineFormula)
  md.block.ruler.after('fence', 'formula_block', blockFormula, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  })
  md.renderer.rules.formula = (tokens, index, _options, env) => {
    const { content, markup } = tokens[index]!
    return (
      mathMlOf(content, markup === '$$', env as PostEnv) ??
      `<code>${md.utils.escapeHtml(markup + content + markup)}</code>`
    )
  }
  md.renderer.rules.formula_block = (tokens, index, _options, env) => {
    const { content } = tokens[index]!
    const mathMl = mathMlOf(content, true, env as PostEnv)
    return mathMl ? `<p>${mathMl}</p>\n` : `<pre><code>${md.utils.escapeHtml(`$$\n${content}\n$$`)}</code></pre>\n`
  }
}

/** The formula as MathML, or undefined if it is wrong, too long, or uses what we cannot show. */
function mathMlOf(tex: string, displayMode: boolean, env: PostEnv): string | undefined {
  if (tex.length > maxFormula || env.formulaCharacters > maxMathMl) return undefined
  try {
    // Macros are those of this formula alone.
    const mathMl = temml().renderToString(tex, { ...options, displayMode, macros: {} })
    env.formulaCharacters += mathMl.length
    // Without the lines, crossed-out parts would look like normal ones.
    return mathMl.includes('<menclose') ? undefined : mathMl
  } catch {
    // Failed formulas count too: they take as long as valid ones.
    env.formulaCharacters += 10 * tex.length
    return undefined
  }
}

const dollar = 0x24
const isSpace = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0a
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/**
 * As in Pandoc, so that prices stay prices: the first `$` is before something, the last one after something and not before a
 * digit.
 */
function inlineFormula(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state
  if (!(state.env as PostEnv).hasMath || src.charCodeAt(pos) !== dollar) return false
  const markup = src.charCodeAt(pos + 1) === dollar ? '$$' : '$'
  const start = pos + markup.length
  if (start >= posMax || (markup === '$' && isSpace(src.charCodeAt(start)))) return false
  const end = closingDollar(src, start, Math.min(posMax, start + maxFormula + 1), markup)
  if (end === undefined || src.slice(start, end).trim() === '') return false
  if (!silent) {
    const token = state.push('formula', '', 0)
    token.markup = markup
    token.content = src.slice(start, end)
  }
  state.pos = end + markup.length
  return true
}

function closingDollar(src: string, start: number, limit: number, markup: string): number | undefined {
  for (let at = src.indexOf(markup, start); at !== -1 && at < limit; at = src.indexOf(markup, at + 1)) {
    if (isEscaped(src, start, at)) continue
    if (markup === '$$') return at
    // A formula has no other dollar in it, so the first one decides.
    const isClosing = at > start && !isSpace(src.charCodeAt(at - 1)) && !isDigit(src.charCodeAt(at + 1))
    return isClosing ? at : undefined
  }
  return undefined
}

function isEscaped(src: string, start: number, at: number): boolean {
  let backslashes = 0
  while (at - 1 - backslashes >= start && src.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes += 1
  return backslashes % 2 === 1
}

/** Parses a formula from a line that begins with `$$` to one that ends with it. */
function blockFormula(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (!(state.env as PostEnv).hasMath || state.sCount[startLine]! - state.blkIndent >= 4) return false
  const first = lineOf(state, startLine)
  if (!first.startsWith('$$')) return false
  const lines = [first.slice(2)]
  let line = startLine
  let length = lines[0]!.length
  while (!lines.at(-1)!.endsWith('$$')) {
    line += 1
    // The end of the quote or the list that it is in also ends it.
    if (line >= endLine || length > maxFormula || state.sCount[line]! < state.blkIndent) return false
    lines.push(lineOf(state, line))
    length += lines.at(-1)!.length + 1
  }
  const content = lines.join('\n').slice(0, -2).trim()
  if (content === '' || content.includes('$$')) return false
  if (silent) return true
  const token = state.push('formula_block', '', 0)
  token.content = content
  token.map = [startLine, line + 1]
  state.line = line + 1
  return true
}

const lineOf = ({ src, bMarks, tShift, eMarks }: StateBlock, line: number): string =>
  src.slice(bMarks[line]! + tShift[line]!, eMarks[line]!).trimEnd()
