import type pg from 'pg'
import type { Clock } from '../platform/clock.ts'

/** The best Posts by score. */
export interface Bands {
  readonly bands: readonly number[]
  /** The lowest score in them. */
  readonly floor: number
  /** How many Posts they hold. */
  readonly posts: number
}

/** What a search wants to know before it asks, roughly: it only decides how far to look at first. */
export interface SearchStatistics {
  readonly posts: number
  /** The share of Posts that have all these terms, or undefined where one of them is too rare to be known. */
  shareOf(terms: readonly string[]): number | undefined
  /** The best bands of scores that hold about so many Posts, or undefined where that is most of them. */
  bestBands(posts: number): Bands | undefined
}

const lifetimeMs = 60_000
const bandsToCome = 30

/** Statistics that are read again once a minute. */
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
    // What ANALYZE found to be common. Before its first run nothing is, and every search looks at all its hits.
    pool.query<{ terms: string[]; shares: number[] }>(
      `SELECT most_common_elems::text::bigint[] AS terms, most_common_elem_freqs::float8[] AS shares
       FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'catalog' AND attname = 'terms'`,
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
      for (const term of terms) {
        const known = shareByTerm.get(term)
        if (known === undefined) return undefined
        share *= known
      }
      return share
    },
    bestBands(wanted) {
      if (wanted > posts / 2) return undefined
      // Also bands above the best that was known a minute ago: a Post of just now may be the first in its own.
      const newest = bands.rows[0]?.band ?? 0
      const best: number[] = Array.from({ length: bandsToCome }, (_, index) => newest + index + 1)
      let held = 0
      for (const band of bands.rows) {
        if (held >= wanted) break
        best.push(band.band)
        held += band.posts
      }
      return { bands: best, floor: best.at(-1)!, posts: held }
    },
  }
}
