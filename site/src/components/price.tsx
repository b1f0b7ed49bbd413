import type { PostSummary } from '@pennypost/contract/discovery'

/** US dollars: cents, or two digits of what is less than a cent. Undefined if it is too small to show. */
export function formatUsd(usd: string | null): string | undefined {
  const amount = Number(usd ?? 0)
  if (amount < 0.000001) return undefined
  return `$${amount >= 0.01 ? amount.toFixed(2) : String(Number(amount.toFixed(6)))}`
}

type Priced = Pick<PostSummary, 'effectivePrice' | 'paymentOffers'>

/**
 * The price of a post, in dollars first; undefined for a free one. Without a rate, as its author set it.
 * @example formatPrice(post) // '$0.31 · 0.25 XNO'
 */
export function formatPrice({ effectivePrice, paymentOffers }: Priced): string | undefined {
  // Without a rate the other asset has no amount, and is not derived either.
  const own = paymentOffers.find(({ derived, amount }) => derived === null && amount !== null)
  if (!own) return undefined
  const { asset, amount } = effectivePrice.xno === null ? own : { asset: 'XNO', amount: effectivePrice.xno }
  return withUsd(effectivePrice.usd, `${amount} ${asset}`)
}

/** An amount of Nano or USDC with its value in dollars before it. */
export function withUsd(usd: string | null, amount: string): string {
  const dollars = formatUsd(usd)
  return dollars === undefined ? amount : `${dollars} · ${amount}`
}
