import { moves } from '../../platform/state-machine.ts'

export type PayoutState = 'waiting' | 'blocked' | 'confirmed'

/** An obligation stays one until its money is confirmed. What is blocked waits for somebody to say where it may go. */
export const payoutMoves = moves<PayoutState>()({
  block: { from: ['waiting'], to: 'blocked' },
  bind: { from: ['blocked'], to: 'waiting' },
  confirm: { from: ['waiting'], to: 'confirmed' },
})
