import type { CatalogQuery } from '@pennypost/contract/discovery'
import type { Asset } from '@pennypost/contract/money'
import { type PricingParts, railsOn } from '../posts/post-view.ts'
import { amountsWithin } from '../posts/pricing.ts'
import { rails } from '../rails/rails.ts'
import { areFresh } from '../rails/rates.ts'

/** A filter: all of the facets must match, and one of the price ranges. */
export interface CatalogFilter {
  /** Spelled as in the SQL function `catalog_facets`. */
  readonly facets: readonly string[]
  readonly prices: readonly PriceRange[] | undefined
}

interface PriceRange {
  readonly kind: 'free' | Asset
  readonly least: bigint
  readonly most: bigint | undefined
  readonly hasZip?: boolean
  /** The author has an address for each of these. */
  readonly receives?: readonly ('receives_nano' | 'receives_base')[]
}

export function catalogFilter(parts: PricingParts, query: CatalogQuery): CatalogFilter {
  const facets = [
    ...(query.access === 'all' ? [] : [`access=${query.access}`]),
    ...(query.author === 'all' ? [] : [`author=${query.author}`]),
    ...(query.category === undefined ? [] : [`category=${query.category}`]),
    ...(query.language === undefined ? [] : [`language=${query.language}`]),
    ...(query.has_attachments === undefined ? [] : [`has_attachments=${query.has_attachments}`]),
  ]
  if (query.asset) {
    const prices = offeredRanges(parts, query.asset, query.max_amount_atomic)
    return { facets, prices: query.max_price_raw === undefined ? prices : within(parts, prices, query.max_price_raw) }
  }
  if (query.max_price_raw !== undefined) return { facets, prices: nanoRanges(parts, query.max_price_raw) }
  return { facets, prices: undefined }
}

/** The `asset` filter matches posts that can be bought with that asset now. Free posts do not match. */
function offeredRanges(parts: PricingParts, asset: Asset, most: bigint | undefined): PriceRange[] {
  if (!railsOn(parts)[asset]) return []
  const { minimum, receives } = rails[asset]
  // Where the smallest price depends on a ZIP, posts with and without one are two ranges.
  const kinds = minimum
    ? [
        { hasZip: false, least: minimum.post },
        { hasZip: true, least: minimum.postWithZip },
      ]
    : [{ least: 1n }]
  return kinds.flatMap(({ least, ...attached }) =>
    pricedRanges(parts, asset, { least, most }).map((range) => ({ ...range, ...attached, receives: [receives] })),
  )
}

/** The `max_price_raw` filter matches what can be bought with Nano now, up to that price. Free counts as zero. */
const nanoRanges = (parts: PricingParts, most: bigint): PriceRange[] => [
  { kind: 'free', least: 0n, most: undefined },
  ...offeredRanges(parts, 'XNO', most),
]

const otherAsset = { XNO: 'USDC', USDC: 'XNO' } as const

function pricedRanges(
  { rates, clock }: PricingParts,
  asset: Asset,
  bounds: { least: bigint; most: bigint | undefined },
): PriceRange[] {
  const other = otherAsset[asset]
  const current = rates.current()
  const own = { kind: asset, ...bounds }
  return areFresh(current, clock.now())
    ? [own, { kind: other, ...amountsWithin(bounds, asset, other, current) }]
    : [own]
}

/** Both `asset` and `max_price_raw`: offered in that asset, up to that price in Nano. */
function within(parts: PricingParts, prices: PriceRange[], maxRaw: bigint): PriceRange[] {
  // Nano has no smallest price, so the least of the other asset counts.
  const caps = offeredRanges(parts, 'XNO', maxRaw)
  return prices.flatMap((range) =>
    caps
      .filter(({ kind, hasZip }) => kind === range.kind && (hasZip ?? range.hasZip) === (range.hasZip ?? hasZip))
      .map((cap) => ({
        ...cap,
        ...range,
        most: range.most === undefined || cap.most! < range.most ? cap.most : range.most,
        receives: [...new Set([...range.receives!, ...cap.receives!])],
      })),
  )
}

type Param = (value: unknown) => string

/** The filter as SQL. Values are appended to `values`; our own names and facets are literals, so that partial indexes match. */
export function filterSql({ facets, prices }: CatalogFilter, values: unknown[]): string {
  const param: Param = (value) => `$${values.push(value)}`
  return and([...facetsSql(facets, param), ...pricesSql(prices, param)])
}

/**
 * The filter as disjoint conditions, one for each kind of price. Each of them is a range of the price index; joined with
 * OR they would not be.
 */
export function filterParts({ facets, prices }: CatalogFilter, values: unknown[]): string[] {
  const param: Param = (value) => `$${values.push(value)}`
  const anyPrice = (['free', 'XNO', 'USDC'] as const).map((kind) => ({ kind, least: 0n, most: undefined }))
  const ranges = (prices ?? anyPrice).filter(
    ({ kind }) => !facets.includes(kind === 'free' ? 'access=paid' : 'access=free'),
  )
  const others = facets.filter((facet) => !facet.startsWith('access='))
  return ranges.map((range) => rangeSql(range, param) + and(facetsSql(others, param)))
}

const and = (conditions: readonly string[]): string => conditions.map((condition) => ` AND ${condition}`).join('')

const facetsSql = (facets: readonly string[], param: Param): string[] =>
  facets.map((facet) => {
    const [name, value] = split(facet)
    if (name === 'access') return value === 'free' ? "price_kind = 'free'" : "price_kind <> 'free'"
    if (name === 'author') return value === 'agent' ? 'is_agent' : 'NOT is_agent'
    if (name === 'has_attachments') return value === 'true' ? 'has_attachments' : 'NOT has_attachments'
    return `${name} = ${param(value)}`
  })

const split = (facet: string): [string, string] => {
  const at = facet.indexOf('=')
  return [facet.slice(0, at), facet.slice(at + 1)]
}

/** The price condition alone, which the term index cannot check. */
export const priceSql = ({ prices }: CatalogFilter, values: unknown[]): string =>
  and(pricesSql(prices, (value) => `$${values.push(value)}`))

function pricesSql(prices: readonly PriceRange[] | undefined, param: Param): string[] {
  if (!prices) return []
  if (prices.length === 0) return ['false']
  return [`(${prices.map((range) => `(${rangeSql(range, param)})`).join(' OR ')})`]
}

const rangeSql = ({ kind, least, most, hasZip, receives }: PriceRange, param: Param): string =>
  [
    `price_kind = '${kind}'`,
    ...(least > 0n ? [`price_atomic >= ${param(least.toString())}::numeric`] : []),
    ...(most === undefined ? [] : [`price_atomic <= ${param(most.toString())}::numeric`]),
    ...(hasZip === undefined ? [] : [hasZip ? 'has_zip' : 'NOT has_zip']),
    ...(receives ?? []),
  ].join(' AND ')
