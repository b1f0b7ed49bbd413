import type pg from 'pg'
import { facetTerm, type QueryWord, queryTerms } from '../posts/catalog/search-terms.ts'
import { type CatalogFilter, priceSql } from './catalog-filter.ts'
import { maxCounted } from './count-catalog.ts'
import type { Bands, SearchStatistics } from './search-statistics.ts'
import { facetTerms, fromHits, statementOf, termsSql, type WantedTerms } from './terms-sql.ts'

/** A search: words that must all occur, and a filter. */
export interface Search {
  readonly words: readonly QueryWord[]
  readonly filter: CatalogFilter
}

/** How many posts there are. */
export interface Total {
  readonly total: number
  readonly isExact: boolean
}

/** Totals up to here are always exact. */
const exactUpTo = 1_000
/** How many hits, or how many posts, are counted for an estimate. */
const sample = { hits: 500, posts: 32_000 }

/** About how many posts a search finds, by ANALYZE's statistics. Words that they do not list are rare. */
export const expectedHits = ({ words, filter }: Search, statistics: SearchStatistics): number =>
  (statistics.shareOf(wholeTerms({ words, filter })) ?? 0) * statistics.posts

/** A search that is expected to find more posts reads some of the hits, and estimates their number. */
export const maxCollected = exactUpTo

/**
 * How many hits there are. A count has to read all of them from the index, so far more than a thousand are estimated: only
 * if the statistics of the words and a sample of the best posts agree, because each alone may be wrong about words that often
 * occur together, or never.
 */
export async function countHits(pool: pg.Pool, search: Search, statistics: SearchStatistics): Promise<Total> {
  const { filter } = search
  const terms = wholeTerms(search)
  const expected = expectedHits(search, statistics)
  if (expected > maxCollected) {
    const best = statistics.bestBands(Math.min((sample.hits / expected) * statistics.posts, sample.posts))
    const bands = best && bandsOf(best)
    if (bands) {
      const counted = await countHitsUpTo(pool, { terms: [...terms, bandTerms(bands)], filter }, sample.posts)
      const estimate = Math.round((counted / best.posts) * statistics.posts)
      if (estimate > 1.5 * exactUpTo) return { total: estimate, isExact: false }
    }
  }
  const hits = await countHitsUpTo(pool, { terms, filter }, maxCounted)
  return hits < maxCounted
    ? { total: hits, isExact: true }
    : { total: Math.max(hits, Math.round(expected)), isExact: false }
}

const wholeTerms = ({ words, filter }: Search): WantedTerms => [...queryTerms('whole', words), ...facetTerms(filter)]

export async function countHitsUpTo(
  pool: pg.Pool,
  { terms, filter }: { readonly terms: WantedTerms; readonly filter: CatalogFilter },
  most: number,
): Promise<number> {
  const values: unknown[] = []
  const hits = termsSql(terms, values)
  const others = priceSql(filter, values)
  const from = others === '' ? `search_terms WHERE ${hits}` : `${fromHits(hits)} WHERE true${others}`
  const text = `SELECT count(*)::int AS hits FROM (SELECT FROM ${from} LIMIT $${values.push(most)}) counted`
  const { rows } = await pool.query<{ hits: number }>({ ...statementOf(text), values })
  return rows[0]!.hits
}

/** The index of terms is fast for some bands. For more it is faster to read all hits. */
const maxBands = 250

/** All bands between the lowest and the highest, or undefined if they are too many. `slack`: further ones below. */
export function bandsOf({ lowest, highest }: Bands, slack = 0): number[] | undefined {
  const length = highest - lowest + 1 + slack
  return length > maxBands ? undefined : Array.from({ length }, (_, index) => lowest - slack + index)
}

export const bandTerms = (bands: readonly number[]): string => bands.map((band) => facetTerm(`band=${band}`)).join()
