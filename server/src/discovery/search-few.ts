import type pg from 'pg'
import { tiers, wordTerms } from '../posts/catalog/terms.ts'
import type { Listed } from './card-store.ts'
import { type Page, type Search, termsOf, tierSql } from './search-catalog.ts'
import type { SearchStatistics } from './search-statistics.ts'

/** So many hits are ranked at once. */
const mostFew = 1_000

interface Hits {
  readonly listed: readonly Listed[]
  readonly total: number
}

/**
 * Searches whose words are seldom together: what has all of them is found once, and then counted and ranked as it is.
 * Undefined: there are more, and `searchCatalog` looks at the best alone.
 */
export async function searchFew(
  pool: pg.Pool,
  search: Search,
  { limit, offset }: Page,
  statistics: SearchStatistics,
): Promise<Hits | undefined> {
  const terms = termsOf('whole', search)
  const share = statistics.shareOf(terms)
  if (share !== undefined && share * statistics.posts > mostFew) return undefined
  const values: unknown[] = []
  const condition = tierSql({ terms, filter: search.filter, above: undefined }, undefined, values)
  const inTier = tiers
    .slice(0, -1)
    .map((tier, place) => `WHEN terms @> $${values.push(wordTerms(tier, search.words))}::bigint[] THEN ${place}`)
  const { rows } = await pool.query<Listed & { hits: number }>(
    `WITH hit AS MATERIALIZED (
       SELECT post_id, stamp, score, terms FROM catalog WHERE ${condition} LIMIT ${mostFew + 1}
     ), page AS (
       SELECT post_id, stamp, score, CASE ${inTier.join(' ')} ELSE ${tiers.length} END AS tier FROM hit
       ORDER BY tier, score DESC, post_id LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}
     )
     SELECT hits, post_id, stamp FROM (SELECT count(*)::int AS hits FROM hit) counted LEFT JOIN page ON true
     ORDER BY tier, score DESC, post_id`,
    values,
  )
  const total = rows[0]!.hits
  if (total > mostFew) return undefined
  // A page behind the last one: the count stands alone.
  const listed = rows[0]!.post_id === null ? [] : rows.map(({ post_id, stamp }) => ({ post_id, stamp }))
  return { listed, total }
}
