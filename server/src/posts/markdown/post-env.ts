import type { Env } from 'markdown-it'

/** The free or the paid part of a post. Both are on one page, so their ids must differ. */
export type Part = 'free' | 'paid'

/** What the rules record during one render. */
export interface PostEnv extends Env {
  idPrefix: string
  imageKeys: Set<string>
  footnoteLabels: Set<string>
  referenceCharacters: number
  highlightedCharacters: number
  highlightedSquares: number
}

export const postEnv = (part: Part): PostEnv => ({
  idPrefix: part === 'paid' ? 'paid-content-' : 'content-',
  imageKeys: new Set(),
  footnoteLabels: new Set(),
  referenceCharacters: 0,
  highlightedCharacters: 0,
  highlightedSquares: 0,
})
