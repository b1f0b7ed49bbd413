import type pg from 'pg'
import type { Clock } from '../platform/clock.ts'
import type { WantedTerms } from './terms-sql.ts'

/** The best posts by score. */
export interface Bands {
  /** The lowest and the highest band among them. */
  readonly lowest: number
  readonly highest: number
  /** How many posts they are. */
  readonly posts: number
}

/** Estimates that decide how far a search looks at first. They do not affect its result. */
export interface SearchStatistics {
  readonly posts: number
  /** The share of posts that have these terms; undefined if all terms of a list are too rare for the statistics. */
  shareOf(terms: WantedTerms): number | undefined
  /** The best bands with about this many posts; undefined if that is most of them. */
  bestBands(posts: number): Bands | undefined
}

const lifetimeMs = 60_000
const bandsToCome = 30

/** Statistics that are refreshed once a minute. */
export function searchStatistics(pool: pg.Pool, clock: Clock): () => Promise<SearchStatistics> {
  let known: Promise<SearchStatistics> | undefined
  let readAt = 0
  return () => {
    const now = clock.now().getTime()
    if (!known || now - readAt >= lifetimeMs) {
      readAt = now
      known = read(pool)
      known.catch(() => {
        known = undefined
      })
    }
    return known
  }
}

async function read(pool: pg.Pool): Promise<SearchStatistics> {
  const [shares, bands] = await Promise.all([
    // The terms that ANALYZE found to be common. Before its first run there are none, and a search reads all its hits.
    pool.query<{ terms: string[]; shares: number[] }>(
      `SELECT most_common_elems::text::bigint[] AS terms, most_common_elem_freqs::float8[] AS shares
       FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'search_terms' AND attname = 'terms'`,
    ),
    pool.query<{ band: number; posts: number }>(
      `SELECT substr(facet, 6)::int AS band, sum(posts)::int AS posts FROM catalog_counts
       WHERE facet >= 'band=' AND facet < 'band>' GROUP BY 1 HAVING sum(posts) > 0 ORDER BY 1 DESC`,
    ),
  ])
  const shareByTerm = new Map<string, number>()
  const common = shares.rows[0]
  for (const [index, term] of (common?.terms ?? []).entries()) shareByTerm.set(term, common!.shares[index]!)
  const posts = bands.rows.reduce((sum, band) => sum + band.posts, 0)
  return {
    posts,
    shareOf(terms) {
      let share = 1
      for (const list of terms) {
        // Most lists are stems in different languages, and a post has one language.
        let sum = 0
        for (const term of list.split(',')) sum += shareByTerm.get(term) ?? 0
        if (sum === 0) return undefined
        share *= Math.min(1, sum)
      }
      return share
    },
    bestBands(wanted) {
      if (wanted > posts / 2) return undefined
      const newest = bands.rows[0]?.band ?? 0
      let lowest = newest + 1
      let held = 0
      for (const band of bands.rows) {
        if (held >= wanted) break
        lowest = band.band
        held += band.posts
      }
      // Include bands above the best one of a minute ago: a new post may be the first in its band.
      return { lowest, highest: newest + bandsToCome, posts: held }
    },
  }
}
