import { moves } from '../platform/state-machine.ts'

export type DeliveryState = 'waiting' | 'sent' | 'cancelled'

/**
 * States of an email or push message. It is cancelled if the recipient no longer wants it, has changed address, or if
 * it could not be delivered.
 */
export const deliveryMoves = moves<DeliveryState>()({
  send: { from: ['waiting'], to: 'sent' },
  cancel: { from: ['waiting'], to: 'cancelled' },
})
