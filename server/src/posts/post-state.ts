import { moves } from '../platform/state-machine.ts'

export type PostState = 'draft' | 'published' | 'withdrawn'

/** The moves of a post. Deleting a draft removes the row, so there is no state for it. */
export const postMoves = moves<PostState>()({
  publish: { from: ['draft', 'withdrawn'], to: 'published' },
  withdraw: { from: ['published'], to: 'withdrawn' },
})
