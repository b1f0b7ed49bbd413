import Markdown, { type MarkdownIt } from 'markdown-it'
import { figures } from './figures.ts'
import { footnotes } from './footnotes.ts'
import { formulas } from './formulas.ts'
import { headingIds } from './heading-ids.ts'
import { highlightedCode } from './highlight-code.ts'
import { imagePlaceholders } from './images.ts'
import { linkCards } from './link-cards.ts'
import { linkPolicy } from './links.ts'
import { mayHaveFootnotes } from './may-have-footnotes.ts'
import { plainText } from './plain-text.ts'
import { noOtherNotes, type OtherNotes, type Part, postEnv } from './post-env.ts'
import { sanitize } from './sanitize.ts'
import { taskLists } from './task-lists.ts'

export interface Rendered {
  /** Safe to show after resolveImages has replaced its placeholders. */
  html: string
  /** The text without markup, for search and previews. It is not HTML and must be escaped. */
  text: string
  imageKeys: string[]
}

// footnotes comes before taskLists and linkPolicy, because those also apply to the notes.
const md = new Markdown({ html: false, xhtmlOut: true, linkify: true, maxNesting: 100 })
  .use(footnotes)
  .use(formulas)
  .use(taskLists)
  .use(linkPolicy)
  .use(linkCards)
  .use(figures)
  .use(headingIds)
  .use(alignedCells)
  .use(imagePlaceholders)
  .use(highlightedCode)
  .use(shallowBrackets)

export interface RenderOptions {
  readonly part?: Part
  /** The Markdown of the other part: a footnote may be in one and its reference in the other. */
  readonly other?: string | undefined
  /** Whether `$…$` and `$$…$$` are formulas. */
  readonly math?: boolean | undefined
}

/** Renders one part of a post. */
export function renderMarkdown(markdown: string, options: RenderOptions = {}): Rendered {
  const { part = 'free', other = '', math = false } = options
  const env = { ...postEnv(part, otherNotesOf(part, markdown, other)), hasMath: math }
  const tokens = md.parse(replaceUnprintable(markdown), env)
  const html = sanitize(replaceUnprintable(md.renderer.render(tokens, md.options, env)), math)
  return { html, text: replaceUnprintable(plainText(tokens)), imageKeys: [...env.imageKeys] }
}

function otherNotesOf(part: Part, markdown: string, other: string): OtherNotes {
  if (!mayHaveFootnotes(markdown) || !mayHaveFootnotes(other)) return noOtherNotes
  if (part === 'free') return { ...noOtherNotes, labels: footnoteLabelsIn(other) }
  const free = postEnv('free', { ...noOtherNotes, labels: footnoteLabelsIn(markdown) })
  md.parse(replaceUnprintable(other), free)
  const numbers = new Map([...free.ownNotes].map(([label, { number }]) => [label, number]))
  return { labels: new Set(numbers.keys()), numbers, wanted: free.outsideNotes, lastNumber: free.lastNumber }
}

/** The labels of the footnotes that a text defines. Its blocks are enough to know them. */
function footnoteLabelsIn(markdown: string): Set<string> {
  const env = postEnv('paid')
  md.block.parse(replaceUnprintable(markdown).replace(/\r\n?/g, '\n'), md, env, [])
  return env.footnoteLabels
}

// Replaces characters that XML does not allow: one of them would break every feed with this post. PostgreSQL also
// refuses NUL. Entities can produce some of them, so this is applied to the output too.
const replaceUnprintable = (text: string) =>
  text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, ' ').replace(/[\p{Surrogate}\ufffe\uffff]/gu, '\ufffd')

// Replaces the inline styles that markdown-it writes, because our content security policy blocks them.
function alignedCells(markdownIt: MarkdownIt): void {
  markdownIt.core.ruler.push('aligned_cells', ({ tokens }) => {
    for (const token of tokens) {
      if (token.type !== 'th_open' && token.type !== 'td_open') continue
      const found = /^text-align:(left|center|right)$/.exec(String(token.attrGet('style') ?? ''))
      token.attrs = found ? [['align', found[1]!]] : null
    }
  })
}

// Quotes and lists may nest up to maxNesting; deeper ones are left out. Brackets may nest less, because each level
// reads the rest of the paragraph again (200 KB of `![` takes a second at 100 levels). Deeper ones stay as typed.
function shallowBrackets(markdownIt: MarkdownIt): void {
  const { inline, options } = markdownIt
  const shallow: MarkdownIt = Object.create(markdownIt, { options: { value: { ...options, maxNesting: 20 } } })
  const parse = inline.parse.bind(inline)
  inline.parse = (source, _md, env, tokens) => parse(source, shallow, env, tokens)
}
