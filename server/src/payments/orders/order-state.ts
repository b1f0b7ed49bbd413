import { moves } from '../../platform/state-machine.ts'

export type OrderState = 'pending' | 'received' | 'paid' | 'cancelled' | 'expired'

/** Decisions §7. Money that comes late, but in full, still buys. */
export const orderMoves = moves<OrderState>()({
  receive: { from: ['pending', 'expired', 'cancelled'], to: 'received' },
  pay: { from: ['received'], to: 'paid' },
  cancel: { from: ['pending'], to: 'cancelled' },
  expire: { from: ['pending'], to: 'expired' },
})
