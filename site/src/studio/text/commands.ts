import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type StateCommand,
  type TransactionSpec,
} from '@codemirror/state'
import { paidLine } from './post-text.ts'

// The changes that the toolbar, the keyboard and the slash menu make to the Markdown. All of them can be undone.

/** Puts a mark such as `**` around the selection or the word at the cursor, or removes it. */
export const toggleMark =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const change = state.changeByRange((range) => {
      const { from, to } = trimmedRange(state, range.empty ? (state.wordAt(range.head) ?? range) : range)
      const text = state.sliceDoc(from, to)
      const size = mark.length
      const moved = (by: number, end = 0) =>
        range.empty ? EditorSelection.cursor(range.head + by) : EditorSelection.range(from + by, to + by + end)
      if (isMarkedOutside(state, from, to, mark))
        return {
          changes: [
            { from: from - size, to: from },
            { from: to, to: to + size },
          ],
          range: moved(-size),
        }
      if (text.length > 2 * size && text.startsWith(mark) && text.endsWith(mark))
        return {
          changes: [
            { from, to: from + size },
            { from: to - size, to },
          ],
          range: EditorSelection.range(from, to - 2 * size),
        }
      return {
        changes: [
          { from, insert: mark },
          { from: to, insert: mark },
        ],
        range: moved(size),
      }
    })
    dispatch(state.update(change, { userEvent: 'input', scrollIntoView: true }))
    return true
  }

/** Spaces at the ends of a selection stay outside of its marks: `** bold**` is not bold. */
function trimmedRange(state: EditorState, { from, to }: { readonly from: number; readonly to: number }) {
  const text = state.sliceDoc(from, to)
  const trimmed = text.trim()
  if (trimmed === '') return { from, to }
  const start = from + text.indexOf(trimmed)
  return { from: start, to: start + trimmed.length }
}

function isMarkedOutside(state: EditorState, from: number, to: number, mark: string): boolean {
  const size = mark.length
  if (from < size || state.sliceDoc(from - size, from) !== mark || state.sliceDoc(to, to + size) !== mark) return false
  // One asterisk of bold text is not italics.
  const character = mark[0]!
  const run = (position: number, step: -1 | 1) => {
    let length = 0
    for (let at = position; state.sliceDoc(at, at + 1) === character; at += step) length += 1
    return length
  }
  const around = Math.min(run(from - 1, -1), run(to, 1))
  return size > 1 || around !== 2
}

/** Begins each selected line with a prefix such as `> `, or removes it from all of them. Numbered prefixes count up. */
const togglePrefix =
  (prefix: (index: number) => string, present: RegExp, replaced: RegExp = present): StateCommand =>
  ({ state, dispatch }) => {
    const lines = selectedLines(state)
    const isOn = lines.every(({ text }) => present.test(text))
    const changes = lines.flatMap(({ from, text }, index): ChangeSpec[] => {
      if (text === '' && lines.length > 1) return []
      const length = replaced.exec(text)?.[0].length ?? 0
      return [{ from, to: from + length, insert: isOn ? '' : prefix(index) }]
    })
    dispatch(state.update(moveAlong(state, changes), { userEvent: 'input', scrollIntoView: true }))
    return true
  }

/** A cursor at the start of a line goes behind what is inserted there. */
function moveAlong(state: EditorState, changes: ChangeSpec[]): TransactionSpec {
  const set = state.changes(changes)
  return { changes: set, selection: state.selection.map(set, 1) }
}

function selectedLines(state: EditorState) {
  const { doc, selection } = state
  const { from, to } = selection.main
  const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number]
  return Array.from({ length: last - first + 1 }, (_, index) => doc.line(first + index))
}

const anyList = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/

export const toggleHeading = (level: number): StateCommand =>
  togglePrefix(() => `${'#'.repeat(level)} `, new RegExp(`^#{${level}}\\s+`), /^#{1,6}\s+/)
export const toggleQuote = togglePrefix(() => '> ', /^>\s?/)
export const toggleList = togglePrefix(() => '- ', /^\s*[-*+]\s+/, anyList)
export const toggleNumbers = togglePrefix((index) => `${index + 1}. `, /^\s*\d{1,9}[.)]\s+/, anyList)

/** Makes a link of the selection. The cursor goes to what is missing. */
export const insertLink: StateCommand = ({ state, dispatch }) => {
  const change = state.changeByRange((range) => {
    const { from, to } = trimmedRange(state, range.empty ? (state.wordAt(range.head) ?? range) : range)
    const text = state.sliceDoc(from, to)
    const isUrl = /^(https?:\/\/|mailto:)\S+$/.test(text)
    const inserted = isUrl ? `[](${text})` : `[${text}](https://)`
    const cursor = isUrl || text === '' ? EditorSelection.cursor(from + 1) : undefined
    const address = from + text.length + 3
    return {
      changes: { from, to, insert: inserted },
      range: cursor ?? EditorSelection.range(address, address + 'https://'.length),
    }
  })
  dispatch(state.update(change, { userEvent: 'input', scrollIntoView: true }))
  return true
}

/** Code in a line, or a block of code if several lines or none are selected. */
export const insertCode: StateCommand = (target) => {
  const { state } = target
  const { main } = state.selection
  const line = state.doc.lineAt(main.from)
  if (line.text.trim() !== '' && main.to <= line.to) return toggleMark('`')(target)
  const text = state.sliceDoc(main.from, main.to)
  return insertBlock('```', `\n${text}\n\`\`\``, main.from, main.to)(target)
}

/** Puts a block on separate lines. The cursor goes between the two texts. */
export const insertBlock =
  (before: string, after = '', start?: number, end?: number): StateCommand =>
  ({ state, dispatch }) => {
    const { main } = state.selection
    const from = start ?? main.to
    const to = end ?? main.to
    const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)]
    const textBefore = first.text.slice(0, from - first.from).trim()
    const isAfterText =
      first.number > 1 && state.doc.line(first.number - 1).text.trim() !== '' && !isPartStart(state, first.from)
    const lead = textBefore !== '' ? '\n\n' : isAfterText ? '\n' : ''
    const isBeforeText = last.text.slice(to - last.from).trim() !== ''
    const trail = isBeforeText ? '\n\n' : ''
    dispatch(
      state.update({
        changes: { from, to, insert: lead + before + after + trail },
        selection: EditorSelection.cursor(from + lead.length + before.length),
        userEvent: 'input',
        scrollIntoView: true,
      }),
    )
    return true
  }

const isPartStart = (state: EditorState, position: number): boolean => {
  const at = state.field(paidLine, false)
  return position === 0 || (typeof at === 'number' && position === at + 1)
}

export const insertTable = insertBlock('| ', 'Column | Column |\n| --- | --- |\n|  |  |')
export const insertRule = insertBlock('---\n\n')

/** Refers to a new footnote, and begins the note at the end of the same part, where the cursor goes. */
export const insertFootnote: StateCommand = ({ state, dispatch }) => {
  const numbers = [...state.doc.toString().matchAll(/\[\^(\d+)\]/g)].map(([, number]) => Number(number))
  const label = `[^${Math.max(0, ...numbers) + 1}]`
  const { head } = state.selection.main
  const at = state.field(paidLine, false) ?? null
  const end = at !== null && head <= at ? at : state.doc.length
  const last = state.doc.lineAt(end)
  const isAfterNote = /^\[\^[^\]]+\]:/.test(last.text)
  const lead = last.text.trim() === '' ? '' : isAfterNote ? '\n' : '\n\n'
  const note = `${lead}${label}: `
  const changes =
    head === end
      ? { from: end, insert: label + note }
      : [
          { from: head, insert: label },
          { from: end, insert: note },
        ]
  dispatch(
    state.update({
      changes,
      selection: EditorSelection.cursor(end + label.length + note.length),
      userEvent: 'input',
      scrollIntoView: true,
    }),
  )
  return true
}
