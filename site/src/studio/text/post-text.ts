import { invertedEffects, isolateHistory } from '@codemirror/commands'
import {
  type ChangeSpec,
  EditorSelection,
  EditorState,
  type Extension,
  RangeSet,
  RangeSetBuilder,
  RangeValue,
  StateEffect,
  StateField,
  Text,
  Transaction,
  type TransactionSpec,
} from '@codemirror/state'

// A post has two stored texts, free and paid. The editor shows them as one document: the free text, one line break that belongs
// to neither, and the paid text. Where that line break is, is kept beside the document, so nothing that an author types can be
// taken for it, and both texts are read back exactly, whatever they begin or end with.

/** The stored texts of a post. */
export interface Parts {
  readonly free: string
  readonly paid: string
}

const setPaidLine = StateEffect.define<number | null>({
  map: (at, changes) => (at === null ? null : changes.mapPos(at, 1)),
})

/** The position of the line break between the free and the paid text. Null if the post has no paid text. */
export const paidLine = StateField.define<number | null>({
  create: () => null,
  update(at, transaction) {
    for (const effect of transaction.effects) if (effect.is(setPaidLine)) return effect.value
    // What is inserted at this position is the end of the free text.
    return at === null ? null : transaction.changes.mapPos(at, 1)
  },
})

/** Whether a transaction moved, added or removed the paid line. */
export const movesPaidLine = (transaction: Transaction): boolean =>
  transaction.effects.some((effect) => effect.is(setPaidLine))

/** Deleting or replacing text across the paid line leaves the line where it is. */
const keepPaidLine = EditorState.transactionFilter.of((transaction) => {
  const at = transaction.startState.field(paidLine)
  if (at === null || !transaction.docChanged || movesPaidLine(transaction)) return transaction
  const changes: ChangeSpec[] = []
  let cursor: number | undefined
  transaction.changes.iterChanges((from, to, newFrom, _, insert) => {
    if (from > at || to <= at) return changes.push({ from, to, insert })
    cursor = newFrom + insert.length
    changes.push({ from, to: at, insert }, { from: at + 1, to })
  }, true)
  if (cursor === undefined) return transaction
  const userEvent = transaction.annotation(Transaction.userEvent)
  return {
    changes,
    selection: EditorSelection.cursor(cursor),
    effects: transaction.effects,
    scrollIntoView: transaction.scrollIntoView,
    ...(userEvent !== undefined && { userEvent }),
  }
})

type LineBreak = '\n' | '\r\n' | '\r'

class OtherLineBreak extends RangeValue {
  // Text that is typed beside the line break is not part of it.
  override startSide = 1
  override endSide = -1

  constructor(readonly text: LineBreak) {
    super()
  }

  override eq(other: OtherLineBreak): boolean {
    return other.text === this.text
  }
}

interface LineBreaks {
  /** The line break of most lines, and of new ones. */
  readonly usual: LineBreak
  /** The line breaks that are different. */
  readonly others: RangeSet<OtherLineBreak>
}

const setLineBreaks = StateEffect.define<LineBreaks>({
  map: ({ usual, others }, changes) => ({ usual, others: others.map(changes) }),
})

/** How lines end in the stored texts: the editor itself has only `\n`. */
const lineBreaks = StateField.define<LineBreaks>({
  create: () => ({ usual: '\n', others: RangeSet.empty }),
  update(breaks, { changes, effects }) {
    for (const effect of effects) if (effect.is(setLineBreaks)) return effect.value
    return { usual: breaks.usual, others: breaks.others.map(changes) }
  },
})

/** Undoing a move of the paid line puts it back, and undoing a replacement of the texts their line breaks. */
const undoEffects = invertedEffects.of(({ effects, startState }) => [
  ...(effects.some((effect) => effect.is(setPaidLine)) ? [setPaidLine.of(startState.field(paidLine))] : []),
  ...(effects.some((effect) => effect.is(setLineBreaks)) ? [setLineBreaks.of(startState.field(lineBreaks))] : []),
])

/** Both texts as one document. Without a paid line, the paid text must be empty. */
function documentOf({ free, paid }: Parts, hasPaidLine: boolean) {
  const pieces = [...free.split(/(\r\n?|\n)/), ...(hasPaidLine ? ['\n', ...paid.split(/(\r\n?|\n)/)] : [])]
  const usual = usualLineBreak(free + paid)
  const lines: string[] = []
  const others = new RangeSetBuilder<OtherLineBreak>()
  let position = 0
  pieces.forEach((piece, index) => {
    if (index % 2 === 0) {
      lines.push(piece)
      position += piece.length
    } else {
      if (piece !== usual) others.add(position, position + 1, new OtherLineBreak(piece as LineBreak))
      position += 1
    }
  })
  return {
    text: Text.of(lines),
    at: hasPaidLine ? free.replaceAll('\r\n', '\n').length : null,
    breaks: { usual, others: others.finish() },
  }
}

function usualLineBreak(text: string): LineBreak {
  if (!text.includes('\r')) return '\n'
  const counts = { '\n': 0, '\r\n': 0, '\r': 0 }
  for (const [found] of text.matchAll(/\r\n?|\n/g)) counts[found as LineBreak] += 1
  return (['\n', '\r\n', '\r'] as const).reduce((most, each) => (counts[each] > counts[most] ? each : most))
}

/** A document with these texts. Without a paid line, the paid text must be empty. */
export function openPostText(parts: Parts, hasPaidLine: boolean, extensions: Extension = []): EditorState {
  const { text, at, breaks } = documentOf(parts, hasPaidLine)
  return EditorState.create({
    doc: text,
    extensions: [paidLine.init(() => at), lineBreaks.init(() => breaks), undoEffects, keepPaidLine, extensions],
  })
}

/** Replaces both texts, for example by an earlier version. It can be undone. */
export function replaceParts(state: EditorState, parts: Parts, hasPaidLine: boolean): TransactionSpec {
  const { text, at, breaks } = documentOf(parts, hasPaidLine)
  return {
    changes: { from: 0, to: state.doc.length, insert: text },
    effects: [setPaidLine.of(at), setLineBreaks.of(breaks)],
    selection: EditorSelection.cursor(0),
    annotations: isolateHistory.of('full'),
  }
}

/** The texts to store: what was opened and not changed is the same, byte for byte. */
export function partsOf(state: EditorState): Parts {
  const at = state.field(paidLine)
  const end = state.doc.length
  return at === null
    ? { free: textBetween(state, 0, end), paid: '' }
    : { free: textBetween(state, 0, at), paid: textBetween(state, at + 1, end) }
}

function textBetween(state: EditorState, from: number, to: number): string {
  const { usual, others } = state.field(lineBreaks)
  if (others.size === 0) return state.doc.sliceString(from, to, usual)
  let text = ''
  let position = from
  for (const each = others.iter(from); each.value !== null && each.to <= to; each.next()) {
    if (each.from < from) continue
    text += state.doc.sliceString(position, each.from, usual) + each.value.text
    position = each.to
  }
  return text + state.doc.sliceString(position, to, usual)
}

/** Puts the paid line before a position, adding it if there is none. Undefined if it is there already. */
export function placePaidLine(state: EditorState, position: number): TransactionSpec | undefined {
  const at = state.field(paidLine)
  if (at === null) return withPaidLineAt(position, { from: position, insert: '\n' })
  if (position === at || position === at + 1) return undefined
  const joint = jointOf(state, at)
  const changes = [
    { from: at, to: at + 1, insert: joint },
    { from: position, insert: '\n' },
  ]
  return withPaidLineAt(position < at ? position : position - 1 + joint.length, changes)
}

/** Makes one text of both. Undefined if there is no paid line. */
export function removePaidLine(state: EditorState): TransactionSpec | undefined {
  const at = state.field(paidLine)
  if (at === null) return undefined
  return withPaidLineAt(null, { from: at, to: at + 1, insert: jointOf(state, at) })
}

const withPaidLineAt = (at: number | null, changes: ChangeSpec): TransactionSpec => ({
  changes,
  effects: setPaidLine.of(at),
  annotations: isolateHistory.of('full'),
  userEvent: 'move.paid-line',
})

/** What to insert between the texts when the line is removed, so that their paragraphs stay separate. */
function jointOf({ doc }: EditorState, at: number): string {
  const before = doc.sliceString(Math.max(0, at - 200), at)
  const isPaidEmpty = at + 1 === doc.length
  if (isPaidEmpty || at === 0 || /\n[ \t]*\n$/.test(before)) return ''
  return before.endsWith('\n') ? '\n' : '\n\n'
}

/**
 * The positions to which the paid line can be moved by a step: before each paragraph or other block, and the end. Blocks inside
 * lists and code are not among them.
 */
export function blockStarts(state: EditorState): number[] {
  const { doc } = state
  const at = state.field(paidLine)
  const starts: number[] = []
  let fence: string | undefined
  let isAfterBlank = true
  let position = 0
  for (const line of doc.iterLines()) {
    // Each part is a separate text: an unclosed code block ends with it.
    if (at !== null && position === at + 1) {
      fence = undefined
      isAfterBlank = true
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    const isBlank = line.trim() === ''
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      isAfterBlank = false
    } else {
      if (!isBlank && (isAfterBlank || /^#{1,6}[ \t]/.test(line)) && !/^(\t| {2,})/.test(line)) starts.push(position)
      fence = mark
      isAfterBlank = isBlank
    }
    position += line.length + 1
  }
  starts.push(doc.length)
  return starts
}

/**
 * The position of the paid line after a step up (-1) or down (1). Undefined if it cannot move further, or without a paid
 * line.
 */
export function nextPaidLinePosition(state: EditorState, direction: -1 | 1): number | undefined {
  const at = state.field(paidLine)
  if (at === null) return undefined
  const starts = blockStarts(state)
  if (direction === -1) return starts.findLast((start) => start < at)
  // The first block below is what moves above the line, so the line goes before the second.
  return starts.filter((start) => start > at)[1]
}
