import type { PaymentOffer, PostSummary } from '@pennypost/sdk'

/** The price of a post in each currency in which it is sold now: `0.1 XNO or 0.12 USDC`. */
export function priceText({
  effectivePrice,
  paymentOffers,
}: Pick<PostSummary, 'effectivePrice' | 'paymentOffers'>): string {
  if (effectivePrice.raw === '0') return 'free'
  const ready = paymentOffers.filter(({ status, amount }: PaymentOffer) => status === 'ready' && amount !== null)
  return ready.length === 0 ? 'not for sale now' : ready.map(({ amount, asset }) => `${amount} ${asset}`).join(' or ')
}
