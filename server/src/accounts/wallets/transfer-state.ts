import { moves } from '../../platform/state-machine.ts'

export type TransferState = 'pending' | 'received' | 'claimed'

/** A transfer login also expires after fifteen minutes. That is decided by `expires_at` and is not a state. */
export const transferMoves = moves<TransferState>()({
  receive: { from: ['pending'], to: 'received' },
  claim: { from: ['received'], to: 'claimed' },
})
