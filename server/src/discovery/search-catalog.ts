import type pg from 'pg'
import { facetTerm, type QueryWord, queryTerms, tiers } from '../posts/catalog/search-terms.ts'
import type { Listed } from './card-store.ts'
import { type CatalogFilter, priceSql } from './catalog-filter.ts'
import type { Bands, SearchStatistics } from './search-statistics.ts'
import { facetTerms, fromHits, termsSql, type WantedTerms } from './terms-sql.ts'

/** A search: words that must all occur, and a filter. */
export interface Search {
  readonly words: readonly QueryWord[]
  readonly filter: CatalogFilter
}

interface Page {
  readonly limit: number
  readonly offset: number
}

/**
 * The hits in order of tier (where all words occur), then of score. Each tier is read only as far as the page needs, and
 * for common words only among the best posts, so that no search ranks everything that it could find.
 */
export async function searchCatalog(
  pool: pg.Pool,
  { words, filter }: Search,
  { limit, offset }: Page,
  statistics: SearchStatistics,
): Promise<Listed[]> {
  const found: Listed[] = []
  let passed = 0
  let above: WantedTerms | undefined
  for (const tier of tiers) {
    const terms = [...queryTerms(tier, words), ...facetTerms(filter)]
    const isOnPage = found.length > 0
    const countToPage = () => countHitsUpTo(pool, { terms, filter }, offset + 1)
    const expected = (statistics.shareOf(terms) ?? 0) * statistics.posts
    // If this tier probably ends before the page starts, only count it.
    const size = !isOnPage && offset > 0 && expected <= offset ? await countToPage() : undefined
    if (size === undefined || size > offset) {
      const part = { terms, above, filter, skip: isOnPage ? 0 : offset - passed, take: limit - found.length }
      found.push(...(await readTier(pool, part, statistics)))
    }
    if (found.length === limit) break
    if (found.length === 0 && offset > 0) passed = size ?? (await countToPage())
    above = terms
  }
  return found
}

interface TierPart {
  readonly terms: WantedTerms
  /** The terms of the tier above, whose posts are already listed. */
  readonly above: WantedTerms | undefined
  readonly filter: CatalogFilter
  readonly skip: number
  readonly take: number
}

const without = (share: number | undefined, above: number | undefined): number | undefined =>
  share === undefined ? undefined : Math.max(share - (above ?? 0), share / 20)

/** The first attempt reads this many times what should be enough. */
const generosity = 1.5
const smallestLook = 2_000
const growth = 8

async function readTier(pool: pg.Pool, part: TierPart, statistics: SearchStatistics): Promise<Listed[]> {
  // Hits of the tiers above match this one too, and must not be counted twice.
  const share = without(statistics.shareOf(part.terms), part.above && statistics.shareOf(part.above))
  let among =
    share === undefined ? Number.POSITIVE_INFINITY : smallestLook + ((part.skip + part.take) / share) * generosity
  for (;;) {
    const best = statistics.bestBands(among)
    const values: unknown[] = []
    const { hits, others } = tierSql(part, best, values)
    const text = `SELECT post_id, stamp FROM ${fromHits(hits)} WHERE true${others}
      ORDER BY score DESC, post_id LIMIT $${values.push(part.take)} OFFSET $${values.push(part.skip)}`
    const { rows } = await pool.query<Listed>(text, values)
    if (!best || rows.length === part.take) return rows
    among *= growth
  }
}

async function countHitsUpTo(
  pool: pg.Pool,
  part: Pick<TierPart, 'terms' | 'filter'>,
  most: number,
  best?: Bands,
): Promise<number> {
  const values: unknown[] = []
  const { hits, others } = tierSql({ ...part, above: undefined }, best, values)
  const from = others === '' ? `search_terms WHERE ${hits}` : `${fromHits(hits)} WHERE true${others}`
  const { rows } = await pool.query<{ hits: number }>(
    `SELECT count(*)::int AS hits FROM (SELECT FROM ${from} LIMIT $${values.push(most)}) counted`,
    values,
  )
  return rows[0]!.hits
}

/** The posts of a tier: a condition on their terms, and one on the catalog, which is empty for most. */
function tierSql(
  { terms, above, filter }: Pick<TierPart, 'terms' | 'above' | 'filter'>,
  best: Bands | undefined,
  values: unknown[],
): { readonly hits: string; readonly others: string } {
  const isFew = best !== undefined && best.bands.length <= fewBands
  const inBands = isFew ? ` AND ${termsSql([best.bands.map((band) => facetTerm(`band=${band}`))], values)}` : ''
  const has = (wanted: WantedTerms) => termsSql(wanted, values) + inBands
  const hits = has(terms) + (above ? ` AND post_id NOT IN (SELECT post_id FROM search_terms WHERE ${has(above)})` : '')
  const aboveFloor = best && !isFew ? ` AND score >= $${values.push(best.floor)}` : ''
  return { hits, others: aboveFloor + priceSql(filter, values) }
}

/** The index of terms is fast for a few bands. For many it is faster to fetch all hits and compare their scores. */
const fewBands = 100

/** The last hit that a client can page to. Up to here totals are exact. */
const deepest = 48_000
const sample = 32_000

/** How many hits there are: counted as far as one can page, estimated from the best posts beyond. */
export async function countHits(
  pool: pg.Pool,
  { words, filter }: Search,
  statistics: SearchStatistics,
): Promise<number> {
  const terms = [...queryTerms('whole', words), ...facetTerms(filter)]
  const count = (best?: Bands) => countHitsUpTo(pool, { terms, filter }, deepest + 1, best)
  // Two estimates say whether there are far more: ANALYZE's statistics of the words, and a sample of the best posts. Each
  // alone may be wrong about words that often occur together, or never.
  const expected = (statistics.shareOf(terms) ?? 0) * statistics.posts
  const best = expected > 2 * deepest ? statistics.bestBands(sample) : undefined
  const estimate = best && Math.round(((await count(best)) / best.posts) * statistics.posts)
  if (estimate !== undefined && estimate > 2 * deepest) return estimate
  const hits = await count()
  return hits <= deepest ? hits : Math.max(hits, Math.round(expected))
}
