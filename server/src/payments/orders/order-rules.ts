import { type Amount, amountOf, smallerOf } from '@pennypost/contract/money'
import { moves } from '../../platform/state-machine.ts'

export type OrderState = 'pending' | 'received' | 'paid' | 'cancelled' | 'expired'

/** Money that comes late, but in full, still buys: an expired or cancelled order can be received. */
export const orderMoves = moves<OrderState>()({
  receive: { from: ['pending', 'expired', 'cancelled'], to: 'received' },
  pay: { from: ['received'], to: 'paid' },
  cancel: { from: ['pending'], to: 'cancelled' },
  expire: { from: ['pending'], to: 'expired' },
})

/** What the rules look at. */
interface QuotedOrder {
  readonly state: OrderState
  readonly amount_raw: string
  readonly expires_at: Date
}

/** How long an order quote fixes its price. */
export const orderQuoteMs = 3_600_000
const partsWaitMs = 3_600_000
const dust = amountOf('XNO', 10n ** 24n)

/** Less than a thousandth of the quote, at most 10^24 raw, is dust: an address is not looked at for less than this. */
export const leastArrival = (quoted: Amount<'XNO'>): Amount<'XNO'> =>
  smallerOf(amountOf('XNO', (quoted + 999n) / 1000n), dust)

/** When money that is not enough goes back. */
export const refundAt = ({ expires_at }: Pick<QuotedOrder, 'expires_at'>): Date =>
  new Date(expires_at.getTime() + partsWaitMs)

/** By `now`, parts go back to the payers of orders that expired no later than this. */
export const lastExpiryOfRefunds = (now: Date): Date => new Date(now.getTime() - partsWaitMs)

export const isSold = ({ state }: Pick<QuotedOrder, 'state'>): boolean => state === 'received' || state === 'paid'

export type Decision = 'wait' | 'buy' | 'return'

/** What becomes of an order's unspent money. Parts add up; money that comes late, but in full, still buys. */
export function decide(order: QuotedOrder, unspent: Amount<'XNO'>, now: Date): Decision {
  if (isSold(order)) return 'return'
  if (unspent >= BigInt(order.amount_raw)) return 'buy'
  return now >= refundAt(order) ? 'return' : 'wait'
}

/** An order whose quote has run out reads as expired, although the job that marks it may not have run yet. */
export const stateAt = ({ state, expires_at }: Pick<QuotedOrder, 'state' | 'expires_at'>, now: Date): OrderState =>
  state === 'pending' && now >= expires_at ? 'expired' : state
