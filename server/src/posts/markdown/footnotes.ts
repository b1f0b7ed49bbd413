import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from 'markdown-it'
import type { NumberedNote, PostEnv } from './post-env.ts'

const reference = /\[\^([^[\]^\s]{1,64})\]/y
const definition = /\[\^([^[\]^\s]{1,64})\]:[ \t]*/y

// A reference of four characters becomes two links. Beyond this many, references stay as they were typed.
const maxReferences = 5000

interface Footnote extends NumberedNote {
  body: Token[]
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

function footnoteDefinition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const { blkIndent, parentType } = state
  const [bMark, tShift, sCount] = [state.bMarks[startLine]!, state.tShift[startLine]!, state.sCount[startLine]!]
  if (sCount - blkIndent >= 4) return false
  const found = matchAt(definition, state.src, bMark + tShift)
  if (!found) return false
  if (silent) return true

  const label = state.md.utils.normalizeReference(found[1]!)
  ;(state.env as PostEnv).footnoteLabels.add(label)
  state.push('footnote_open', '', 1).meta = { label }
  // Parses the body as if its first line began after the marker and the other lines were indented by four.
  state.bMarks[startLine] = bMark + tShift + found[0].length
  state.tShift[startLine] = 0
  state.blkIndent = blkIndent + 4
  state.sCount[startLine] = state.blkIndent
  state.parentType = 'footnote'
  state.md.block.tokenize(state, startLine, endLine)
  state.bMarks[startLine] = bMark
  state.tShift[startLine] = tShift
  state.sCount[startLine] = sCount
  state.blkIndent = blkIndent
  state.parentType = parentType
  state.push('footnote_close', '', -1)
  return true
}

function footnoteReference(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x5b || state.linkLevel > 0) return false
  const found = matchAt(reference, state.src, state.pos)
  if (!found || state.pos + found[0].length > state.posMax) return false
  const label = state.md.utils.normalizeReference(found[1]!)
  const { footnoteLabels, otherNotes } = state.env as PostEnv
  if (!footnoteLabels.has(label) && !otherNotes.labels.has(label)) return false
  if (!silent) {
    const token = state.push('footnote_reference', '', 0)
    token.meta = { label }
    token.content = found[0]
  }
  state.pos += found[0].length
  return true
}

/** Moves the definitions out of the text, wherever they are. If a label is defined twice, the first definition wins. */
function takeDefinitions(tokens: Token[]): { flow: Token[]; footnotes: Map<string, Footnote> } {
  const footnotes = new Map<string, Footnote>()
  const flow: Token[] = []
  const bodies: Token[][] = [flow]
  for (const token of tokens) {
    if (token.type === 'footnote_open') {
      const footnote = { body: [], number: 0, referenceIds: [] }
      const label = String(token.meta?.label)
      if (!footnotes.has(label)) footnotes.set(label, footnote)
      bodies.push(footnote.body)
    } else if (token.type === 'footnote_close') bodies.pop()
    else bodies.at(-1)!.push(token)
  }
  return { flow, footnotes }
}

/**
 * Numbers footnotes by first reference, in the text before in other notes. Notes without a reference are left out. A note of
 * the other part gets a number here, but is shown there.
 */
function numberFootnotes(flow: Token[], footnotes: Map<string, Footnote>, env: PostEnv): Footnote[] {
  const { idPrefix, otherIdPrefix, otherNotes, ownNotes, outsideNotes } = env
  const numbered: Footnote[] = []
  let references = 0
  const take = (label: string, footnote: Footnote, number: number) => {
    footnote.number = number
    ownNotes.set(label, footnote)
    numbered.push(footnote)
  }
  const outside = (label: string): NumberedNote => {
    const known = outsideNotes.get(label)
    if (known) return known
    const note = { number: otherNotes.numbers.get(label) ?? ++env.lastNumber, referenceIds: [] }
    outsideNotes.set(label, note)
    return note
  }
  const visit = (tokens: Token[]) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'footnote_reference') continue
      const label = String(token.meta?.label)
      const footnote = footnotes.get(label)
      if ((!footnote && !otherNotes.labels.has(label)) || ++references > maxReferences) {
        token.type = 'text'
        continue
      }
      if (footnote?.number === 0) take(label, footnote, ++env.lastNumber)
      const note = footnote ?? outside(label)
      // Heading ids have no dot, so these ids never collide with one.
      const mention = note.referenceIds.length
      const id = `${idPrefix}ref.${note.number}${mention ? `.${mention + 1}` : ''}`
      note.referenceIds.push(id)
      token.meta = { id, number: note.number, target: `${footnote ? idPrefix : otherIdPrefix}fn.${note.number}` }
    }
  }
  for (const [label, { number, referenceIds }] of otherNotes.wanted) {
    const footnote = footnotes.get(label)
    if (!footnote) continue
    footnote.referenceIds.push(...referenceIds)
    take(label, footnote, number)
  }
  visit(flow)
  for (const footnote of numbered) visit(footnote.body)
  return numbered
}

function gatherFootnotes(state: StateCore): void {
  const env = state.env as PostEnv
  const { idPrefix, footnoteLabels, otherNotes } = env
  if (footnoteLabels.size + otherNotes.labels.size === 0) return
  const { flow: tokens, footnotes } = takeDefinitions(state.tokens)
  state.tokens = tokens
  const numbered = numberFootnotes(tokens, footnotes, env)
  if (numbered.length === 0) return
  const wrap = (type: string, tag: string, nesting: 1 | -1) => {
    const token = new state.Token(type, tag, nesting)
    token.block = true
    tokens.push(token)
    return token
  }
  const section = wrap('footnotes_open', 'section', 1)
  section.attrSet('class', 'footnotes')
  section.attrSet('role', 'doc-endnotes')
  wrap('ordered_list_open', 'ol', 1)
  let natural = 1
  for (const { body, number, referenceIds } of numbered) {
    const item = wrap('footnote_item_open', 'li', 1)
    item.attrSet('id', `${idPrefix}fn.${number}`)
    // The numbers in between are in the other part.
    if (number !== natural) item.attrSet('value', String(number))
    natural = number + 1
    const backlinks = new state.Token('footnote_backlinks', '', 0)
    backlinks.meta = { referenceIds }
    for (const token of body) tokens.push(token)
    // Inside the last paragraph; after a list or code, on a separate line.
    if (body.at(-1)?.type === 'paragraph_close') body.at(-2)!.children!.push(backlinks)
    else tokens.push(backlinks)
    wrap('footnote_item_close', 'li', -1)
  }
  wrap('ordered_list_close', 'ol', -1)
  wrap('footnotes_close', 'section', -1)
}

export function footnotes(md: MarkdownIt): void {
  md.block.ruler.before('reference', 'footnote_definition', footnoteDefinition, { alt: ['paragraph', 'reference'] })
  md.inline.ruler.before('link', 'footnote_reference', footnoteReference)
  md.core.ruler.push('gather_footnotes', gatherFootnotes)
  md.renderer.rules.footnote_reference = (tokens, index) => {
    const { id, number, target } = tokens[index]!.meta as { id: string; number: number; target: string }
    return `<sup><a href="#${target}" id="${id}" role="doc-noteref">${number}</a></sup>`
  }
  md.renderer.rules.footnote_backlinks = (tokens, index) =>
    (tokens[index]!.meta as { referenceIds: string[] }).referenceIds
      .map((id) => ` <a href="#${id}" role="doc-backlink">↩</a>`)
      .join('')
}
