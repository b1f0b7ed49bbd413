import { moves } from '../../platform/state-machine.ts'

export type PaymentState = 'settling' | 'settled' | 'failed'

/** What the chain says last is true: money that came after we gave up is money. */
export const paymentMoves = moves<PaymentState>()({
  settle: { from: ['settling', 'failed'], to: 'settled' },
  fail: { from: ['settling'], to: 'failed' },
})
