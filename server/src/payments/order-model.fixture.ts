import type { OrderState } from './orders/order-store.ts'

// A second implementation of what happens to an order's money: written from the rules, not from the code.

export interface ModelArrival {
  readonly payer: string
  readonly amount: bigint
  readonly seenAt: Date
}

export interface ModelOrder {
  readonly price: bigint
  readonly expiresAt: Date
  /** In the order in which they were recorded. */
  readonly arrivals: readonly ModelArrival[]
  readonly isCancelled: boolean
  /** Whether another order bought the post for the same account. */
  readonly isBoughtElsewhere: boolean
}

export interface ModelOutcome {
  readonly state: OrderState
  readonly isSold: boolean
  readonly refunds: ReadonlyMap<string, bigint>
}

/** The expected result after all money has arrived and all periods have ended. */
export function predict({ price, expiresAt, arrivals, isCancelled, isBoughtElsewhere }: ModelOrder): ModelOutcome {
  const refundsFrom = new Date(expiresAt.getTime() + 3_600_000)
  const buysUntil = new Date(expiresAt.getTime() + 24 * 3_600_000)
  const refunds = new Map<string, bigint>()
  const refund = ({ payer }: ModelArrival, amount: bigint) => refunds.set(payer, (refunds.get(payer) ?? 0n) + amount)
  let waiting: ModelArrival[] = []
  let isSold = false
  let isGivenUp = isCancelled
  const refundWaiting = () => {
    for (const arrival of waiting) refund(arrival, arrival.amount)
    waiting = []
  }
  for (const arrival of arrivals) {
    if (arrival.seenAt >= refundsFrom) refundWaiting()
    if (isSold) {
      refund(arrival, arrival.amount)
      continue
    }
    waiting.push(arrival)
    let over = waiting.reduce((sum, { amount }) => sum + amount, 0n) - price
    if (over < 0n) {
      if (arrival.seenAt >= refundsFrom) refundWaiting()
      continue
    }
    // A day after the expiry, money no longer buys. Until then it does: the price stays the same here.
    if (arrival.seenAt >= buysUntil) {
      refundWaiting()
      continue
    }
    if (isBoughtElsewhere) {
      refundWaiting()
      isGivenUp ||= arrival.seenAt < expiresAt
      continue
    }
    isSold = true
    for (const last of waiting.toReversed()) {
      // biome-ignore lint/complexity/useMathMinMax: it cannot compare bigints
      const back = over < last.amount ? over : last.amount
      if (back > 0n) refund(last, back)
      over -= back
    }
    waiting = []
  }
  refundWaiting()
  return { state: isSold ? 'paid' : isGivenUp ? 'cancelled' : 'expired', isSold, refunds }
}
