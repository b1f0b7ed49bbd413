import type { CatalogQuery } from '@pennypost/contract/discovery'
import type { Rates } from '../rails/rates.ts'

/** The orders of the catalog as SQL. `raw` is the price in Nano that `nanoPrice` selects. */
export const orders: Readonly<Record<CatalogQuery['sort'], string>> = {
  recommended: 'score DESC, post_id',
  newest: 'published_at DESC, post_id',
  oldest: 'published_at, post_id DESC',
  popular: 'popularity DESC, published_at DESC, post_id',
  price_asc: 'raw NULLS LAST, price_atomic, post_id',
  price_desc: 'raw DESC NULLS LAST, price_atomic DESC, post_id DESC',
}

/** The price in raw as SQL, for ordering only. Posts without one, because there is no exchange rate, come last. */
export const nanoPrice = (values: unknown[], rates: Rates | undefined): string =>
  `CASE price_kind WHEN 'USDC' THEN ${convertedPrice(values, rates)} ELSE price_atomic END`

function convertedPrice(values: unknown[], rates: Rates | undefined): string {
  if (!rates) return 'NULL::numeric'
  return `price_atomic * ($${values.push(rates.USDC.usd)}::numeric / $${values.push(rates.XNO.usd)}::numeric) * 1e24`
}
