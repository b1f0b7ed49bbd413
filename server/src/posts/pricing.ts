import {
  type Amount,
  type Asset,
  amountOf,
  decimalsOf,
  formatAmount,
  networkOf,
  splitSale,
} from '@pennypost/contract/money'
import type { Offer, Post } from '@pennypost/contract/posts'
import type { Rail } from '../rails/rail.ts'
import { rails } from '../rails/rails.ts'
import { areFresh, type Rates } from '../rails/rates.ts'

/**
 * Everything that a post's offers depend on. The functions here are pure: the same terms always give the same offers.
 */
export interface PriceTerms {
  readonly hasPaywall: boolean
  readonly currency: Asset | null
  /** In units of `currency`. */
  readonly atomic: Amount | null
  readonly hasZip: boolean
  /** The assets for which the author has a receiving address. */
  readonly receives: Readonly<Record<Asset, boolean>>
  /** Which rails this service runs. */
  readonly railsOn: Readonly<Record<Asset, boolean>>
  readonly rates: Rates | undefined
  readonly commissionBps: bigint
  readonly now: Date
  readonly accessUrl: string
}

/** The price in Nano and in US dollars. Null where it has to be converted and there is no fresh exchange rate. */
export function effectivePrice(terms: PriceTerms): Post['effectivePrice'] {
  const raw = terms.hasPaywall ? amountIn('XNO', terms)?.atomic : amountOf('XNO', 0n)
  const shown = raw === undefined ? { raw: null, xno: null } : { raw: raw.toString(), xno: formatAmount('XNO', raw) }
  return { ...shown, currency: 'XNO', unit: 'raw', decimals: 30, usd: inDollars(terms) }
}

/** Exact to a millionth of a dollar, rounded up like every conversion. */
function inDollars({ hasPaywall, currency, atomic, rates, now }: PriceTerms): string | null {
  if (!hasPaywall) return '0'
  if (currency === null || atomic === null || !areFresh(rates, now)) return null
  const [usd, scale] = fractionOf(rates[currency].usd)
  const denominator = scale * 10n ** BigInt(decimalsOf[currency])
  const millionths = (atomic * usd * 1_000_000n + denominator - 1n) / denominator
  return `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`.replace(/\.?0+$/, '')
}

/**
 * One offer per rail, USDC first, because standard x402 clients take the first one they support. Free posts have none.
 */
export function offersOf(terms: PriceTerms): Offer[] {
  if (!terms.hasPaywall || terms.currency === null || terms.atomic === null || terms.atomic === 0n) return []
  return [offer('USDC', terms), offer('XNO', terms)]
}

/** The URL that quotes a post in one asset. */
export const quoteUrl = (accessUrl: string, asset: Asset): string => `${accessUrl}?asset=${asset}`

function offer<A extends Asset>(asset: A, terms: PriceTerms): Offer {
  const price = amountIn(asset, terms)
  const { isCustodial, minimum: minimums }: Rail<A> = rails[asset]
  const minimum = minimums && (terms.hasZip ? minimums.postWithZip : minimums.post)
  const [status, reason] = statusOf(asset, price?.atomic, minimum, terms)
  // There is only a commission on Nano sales: USDC goes straight to the author.
  const sale = price && splitSale(price.atomic, isCustodial ? terms.commissionBps : 0n)
  return {
    asset,
    network: networkOf[asset],
    amountAtomic: price?.atomic.toString() ?? null,
    amount: price ? formatAmount(asset, price.atomic) : null,
    feeAtomic: sale?.commission.toString() ?? null,
    status,
    reason,
    minimumAtomic: minimum?.toString() ?? null,
    derived: price?.derived ?? null,
    quoteUrl: quoteUrl(terms.accessUrl, asset),
  }
}

function statusOf<A extends Asset>(
  asset: A,
  atomic: Amount<A> | undefined,
  minimum: Amount<A> | null,
  terms: PriceTerms,
): [Offer['status'], string | null] {
  if (!terms.railsOn[asset]) return ['rail_off', `${asset} is not accepted at the moment.`]
  if (!terms.receives[asset]) return ['address_missing', `The author has no ${asset} address.`]
  if (atomic === undefined && areFresh(terms.rates, terms.now))
    return ['rate_stale', `At the current rate the price exceeds the total supply of ${asset}.`]
  if (atomic === undefined) return ['rate_stale', 'There is no exchange rate from the last hour.']
  if (minimum !== null && atomic < minimum)
    return ['below_minimum', `The smallest ${asset} price is ${formatAmount(asset, minimum)}.`]
  return ['ready', null]
}

interface Price<A extends Asset> {
  readonly atomic: Amount<A>
  readonly derived: Offer['derived']
}

function amountIn<A extends Asset>(asset: A, { currency, atomic, rates, now }: PriceTerms): Price<A> | undefined {
  if (currency === null || atomic === null) return undefined
  if (currency === asset) return { atomic: amountOf(asset, atomic), derived: null }
  if (!areFresh(rates, now)) return undefined
  const converted = convert(atomic, currency, asset, rates)
  const { totalSupply } = rails[asset]
  if (totalSupply !== null && converted > totalSupply) return undefined
  const providers = (['XNO', 'USDC'] as const).map((each) => ({
    pair: `${each}/USD`,
    price: rates[each].usd,
    at: rates[each].at.toISOString(),
  }))
  const rate = `${rates[currency].usd}/${rates[asset].usd}`
  return { atomic: converted, derived: { from: { asset: currency, amountAtomic: atomic.toString() }, rate, providers } }
}

/** Converts an amount, rounded up, so that rounding never gives an author less than the price. */
function convert<From extends Asset, To extends Asset>(
  atomic: Amount<From>,
  from: From,
  to: To,
  rates: Rates,
): Amount<To> {
  const [fromUsd, fromScale] = fractionOf(rates[from].usd)
  const [toUsd, toScale] = fractionOf(rates[to].usd)
  const numerator = atomic * fromUsd * toScale * 10n ** BigInt(decimalsOf[to])
  const denominator = toUsd * fromScale * 10n ** BigInt(decimalsOf[from])
  return amountOf(to, (numerator + denominator - 1n) / denominator)
}

/** Converts bounds in one asset to bounds on prices in another: the exact inverse of `convert`. */
export function amountsWithin(
  bounds: { readonly least: bigint; readonly most: bigint | undefined },
  of: Asset,
  priced: Asset,
  rates: Rates,
): { readonly least: bigint; readonly most: bigint | undefined } {
  const [ofUsd, ofScale] = fractionOf(rates[of].usd)
  const [pricedUsd, pricedScale] = fractionOf(rates[priced].usd)
  const numerator = pricedUsd * ofScale * 10n ** BigInt(decimalsOf[of])
  const denominator = ofUsd * pricedScale * 10n ** BigInt(decimalsOf[priced])
  const least = bounds.least === 0n ? 0n : ((bounds.least - 1n) * denominator) / numerator + 1n
  return { least, most: bounds.most === undefined ? undefined : (bounds.most * denominator) / numerator }
}

/** Converts a decimal string to an exact fraction. */
function fractionOf(decimal: string): [bigint, bigint] {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return [BigInt(whole + fraction), 10n ** BigInt(fraction.length)]
}
