import { type PricingParts, railsOn } from '../posts/post-view.ts'
import { areFresh, type Rates } from '../rails/rates.ts'

/** What prices depend on besides the post: the exchange rates, and which rails are on. */
export function pricingState(parts: PricingParts): string {
  const rates = parts.rates.current()
  const { XNO, USDC } = railsOn(parts)
  return `${XNO} ${USDC} ${areFresh(rates, parts.clock.now()) ? numberOf(rates) : 'no rates'}`
}

const numbers = new WeakMap<Rates, number>()
let lastNumber = 0

/** A pair of rates is replaced, never changed, so a number can stand for it. */
function numberOf(rates: Rates): number {
  const known = numbers.get(rates)
  if (known !== undefined) return known
  lastNumber += 1
  numbers.set(rates, lastNumber)
  return lastNumber
}
