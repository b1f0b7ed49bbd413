import type { OrderRow } from './order-store.ts'

export const quoteMs = 3_600_000
const partsWaitMs = 3_600_000
const dustRaw = 10n ** 24n

/** Less than a thousandth of the quote, at most 10^24 raw, is dust: an address is not looked at for less than this. */
export function leastRaw(amountRaw: bigint): bigint {
  const thousandth = (amountRaw + 999n) / 1000n
  // biome-ignore lint/complexity/useMathMinMax: it cannot compare bigints
  return thousandth < dustRaw ? thousandth : dustRaw
}

/** When money that is not enough goes back. */
export const refundAt = ({ expires_at }: Pick<OrderRow, 'expires_at'>): Date =>
  new Date(expires_at.getTime() + partsWaitMs)

/** What goes back by now is of orders that expired no later than this. */
export const lastExpiryOfRefunds = (now: Date): Date => new Date(now.getTime() - partsWaitMs)

export type Decision = 'wait' | 'buy' | 'return'

/** What becomes of an order's unspent money. Parts add up; what comes late, but in full, still buys. */
export function decide(order: OrderRow, unspentRaw: bigint, now: Date): Decision {
  if (order.state === 'received' || order.state === 'paid') return 'return'
  if (unspentRaw >= BigInt(order.amount_raw)) return 'buy'
  return now >= refundAt(order) ? 'return' : 'wait'
}

/** A quote whose hour is over reads as expired, though the job that says so may not have run yet. */
export const stateAt = ({ state, expires_at }: Pick<OrderRow, 'state' | 'expires_at'>, now: Date) =>
  state === 'pending' && now >= expires_at ? 'expired' : state
