import { type Asset, decimalsOf, formatAmount, networkOf } from '@pennypost/contract/money'
import type { Offer, Post } from '@pennypost/contract/posts'
import { areFresh, type Rates } from '../rails/rates.ts'

/** What a price depends on. Pure: the same terms always give the same offers. */
export interface PriceTerms {
  readonly hasPaywall: boolean
  readonly currency: Asset | null
  readonly atomic: bigint | null
  readonly hasZip: boolean
  /** Where the author can be paid. */
  readonly receives: Readonly<Record<Asset, boolean>>
  /** Which rails this service runs. */
  readonly railsOn: Readonly<Record<Asset, boolean>>
  readonly rates: Rates | undefined
  readonly commissionBps: bigint
  readonly now: Date
  readonly quoteUrl: string
}

/** §8: USDC 0.10 for text, 0.25 when any ZIP is pending or ready; Nano has no floor. */
export const usdcMinimum = (hasZip: boolean): bigint => (hasZip ? 250_000n : 100_000n)

/** What a Nano balance can be at most: no quote can ask for more. */
const mostRaw = 2n ** 128n - 1n

/** The price as Nano readers see it; unknown where it would have to be converted and cannot be. */
export function effectivePrice(terms: PriceTerms): Post['effectivePrice'] {
  const raw = terms.hasPaywall ? amountIn('XNO', terms)?.atomic : 0n
  const shown = raw === undefined ? { raw: null, xno: null } : { raw: raw.toString(), xno: formatAmount('XNO', raw) }
  return { ...shown, currency: 'XNO', unit: 'raw', decimals: 30 }
}

/** One offer a rail, USDC first: stock x402 clients take the first that they know. Free Posts have none. */
export function offersOf(terms: PriceTerms): Offer[] {
  if (!terms.hasPaywall || terms.currency === null || terms.atomic === null || terms.atomic === 0n) return []
  return (['USDC', 'XNO'] as const).map((asset) => offer(asset, terms))
}

function offer(asset: Asset, terms: PriceTerms): Offer {
  const amount = amountIn(asset, terms)
  const minimum = asset === 'USDC' ? usdcMinimum(terms.hasZip) : null
  const [status, reason] = statusOf(asset, amount?.atomic, minimum, terms)
  // Commission is for Nano sales; USDC goes straight to the author (decisions §7).
  const fee = amount && (asset === 'XNO' ? (amount.atomic * terms.commissionBps) / 10_000n : 0n)
  return {
    asset,
    network: networkOf[asset],
    amountAtomic: amount?.atomic.toString() ?? null,
    amount: amount ? formatAmount(asset, amount.atomic) : null,
    feeAtomic: fee?.toString() ?? null,
    status,
    reason,
    minimumAtomic: minimum?.toString() ?? null,
    derived: amount?.derived ?? null,
    quoteUrl: terms.quoteUrl,
  }
}

function statusOf(
  asset: Asset,
  atomic: bigint | undefined,
  minimum: bigint | null,
  terms: PriceTerms,
): [Offer['status'], string | null] {
  if (!terms.railsOn[asset]) return ['rail_off', `This service does not take ${asset}.`]
  if (!terms.receives[asset]) return ['address_missing', `The author has no address for ${asset}.`]
  if (atomic === undefined && areFresh(terms.rates, terms.now))
    return ['rate_stale', `At the present rate the price is more than there is of ${asset}.`]
  if (atomic === undefined) return ['rate_stale', 'No exchange rate of the last hour is known.']
  if (minimum !== null && atomic < minimum)
    return ['below_minimum', `The smallest ${asset} price is ${formatAmount(asset, minimum)}.`]
  return ['ready', null]
}

interface Amount {
  readonly atomic: bigint
  readonly derived: Offer['derived']
}

function amountIn(asset: Asset, { currency, atomic, rates, now }: PriceTerms): Amount | undefined {
  if (currency === null || atomic === null) return undefined
  if (currency === asset) return { atomic, derived: null }
  if (!areFresh(rates, now)) return undefined
  const converted = convert(atomic, currency, asset, rates)
  if (asset === 'XNO' && converted > mostRaw) return undefined
  const providers = (['XNO', 'USDC'] as const).map((each) => ({
    pair: `${each}/USD`,
    price: rates[each].usd,
    at: rates[each].at.toISOString(),
  }))
  const rate = `${rates[currency].usd}/${rates[asset].usd}`
  return { atomic: converted, derived: { from: { asset: currency, amountAtomic: atomic.toString() }, rate, providers } }
}

/** Rounds up: an author never gets less than asked because a division left a remainder. */
function convert(atomic: bigint, from: Asset, to: Asset, rates: Rates): bigint {
  const [fromUsd, fromScale] = fractionOf(rates[from].usd)
  const [toUsd, toScale] = fractionOf(rates[to].usd)
  const numerator = atomic * fromUsd * toScale * 10n ** BigInt(decimalsOf[to])
  const denominator = toUsd * fromScale * 10n ** BigInt(decimalsOf[from])
  return (numerator + denominator - 1n) / denominator
}

/** Which amounts of one asset are at most, and at least, so much of another: the inverse of `convert`, exact like it. */
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

/** A decimal string as an exact fraction. */
function fractionOf(decimal: string): [bigint, bigint] {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return [BigInt(whole + fraction), 10n ** BigInt(fraction.length)]
}
