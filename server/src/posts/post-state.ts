import { moves } from '../platform/state-machine.ts'

export type PostState = 'draft' | 'published' | 'withdrawn'

/** §3. A draft that is deleted is gone and has no state. */
export const postMoves = moves<PostState>()({
  publish: { from: ['draft', 'withdrawn'], to: 'published' },
  withdraw: { from: ['published'], to: 'withdrawn' },
})
