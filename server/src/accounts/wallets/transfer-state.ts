import { moves } from '../../platform/state-machine.ts'

export type TransferState = 'pending' | 'received' | 'claimed'

/** That a transfer login is over after fifteen minutes is a matter of its time, not of its state. */
export const transferMoves = moves<TransferState>()({
  receive: { from: ['pending'], to: 'received' },
  claim: { from: ['received'], to: 'claimed' },
})
