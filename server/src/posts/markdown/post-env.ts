import type { Env } from 'markdown-it'

/** The free and the paid part of a Post share one page, so their ids must differ. */
export type Part = 'free' | 'paid'

/** What the rules write down during one render. */
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
