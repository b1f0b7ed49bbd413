import { moves } from '../platform/state-machine.ts'

export type DeliveryState = 'waiting' | 'sent' | 'cancelled'

/** A message that leaves the house. Cancelled: its reader no longer wants it or has another address by now, or it could not be handed over. */
export const deliveryMoves = moves<DeliveryState>()({
  send: { from: ['waiting'], to: 'sent' },
  cancel: { from: ['waiting'], to: 'cancelled' },
})
