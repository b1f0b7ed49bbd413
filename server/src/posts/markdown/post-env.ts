import type { Env } from 'markdown-it'

/** The free or the paid part of a post. Both are on one page, so their ids must differ. */
export type Part = 'free' | 'paid'

/** A footnote with its number on the page. */
export interface NumberedNote {
  number: number
  /** The ids of the references to it. */
  referenceIds: string[]
}

/** The footnotes of the other part, as far as this one needs them: the page numbers all of them in one order. */
export interface OtherNotes {
  /** Notes in the other part, by label. A reference here leads there. */
  readonly labels: ReadonlySet<string>
  /** Their numbers. The free part is numbered first, so it knows none. */
  readonly numbers: ReadonlyMap<string, number>
  /** Notes in this part that the other part refers to. */
  readonly wanted: ReadonlyMap<string, NumberedNote>
  readonly lastNumber: number
}

export const noOtherNotes: OtherNotes = {
  labels: new Set(),
  numbers: new Map(),
  wanted: new Map(),
  lastNumber: 0,
}

/** The state of one render. */
export interface PostEnv extends Env {
  idPrefix: string
  otherIdPrefix: string
  imageKeys: Set<string>
  footnoteLabels: Set<string>
  otherNotes: OtherNotes
  /** The notes of this part and those of the other part that it refers to, by label. */
  ownNotes: Map<string, NumberedNote>
  outsideNotes: Map<string, NumberedNote>
  lastNumber: number
  hasMath: boolean
  formulaCharacters: number
  referenceCharacters: number
  highlightedCharacters: number
  highlightedSquares: number
}

const idPrefixes = { free: 'content-', paid: 'paid-content-' }

export const postEnv = (part: Part, otherNotes = noOtherNotes): PostEnv => ({
  idPrefix: idPrefixes[part],
  otherIdPrefix: idPrefixes[part === 'free' ? 'paid' : 'free'],
  imageKeys: new Set(),
  footnoteLabels: new Set(),
  otherNotes,
  ownNotes: new Map(),
  outsideNotes: new Map(),
  lastNumber: otherNotes.lastNumber,
  hasMath: false,
  formulaCharacters: 0,
  referenceCharacters: 0,
  highlightedCharacters: 0,
  highlightedSquares: 0,
})
