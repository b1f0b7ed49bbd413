import type pg from 'pg'
import { queryTerms, tiers } from '../posts/catalog/search-terms.ts'
import type { Listed } from './card-store.ts'
import { type CatalogFilter, priceSql } from './catalog-filter.ts'
import { bandsOf, bandTerms, countHitsUpTo, type Search } from './count-hits.ts'
import type { Bands, SearchStatistics } from './search-statistics.ts'
import { facetTerms, fromHits, statementOf, termsSql, type WantedTerms } from './terms-sql.ts'

interface Page {
  readonly limit: number
  readonly offset: number
}

/** The hits of a page, and how many there are in total. */
interface CollectedHits {
  readonly listed: readonly Listed[]
  readonly total: number
}

/**
 * Finds and counts the hits with one statement, in order of tier (where all words occur), then of score. For searches that find
 * few posts. The index is asked once for each tier. A tier whose wider one is empty is not asked, and if a narrow tier fills the
 * page, the rows of the others are not fetched. Every hit is in the widest tier, so that one is counted. UNION ALL reads its
 * parts one after the other, because connections for searches use no parallel workers.
 */
export async function collectRankedHits(
  pool: pg.Pool,
  { words, filter }: Search,
  { limit, offset }: Page,
): Promise<CollectedHits> {
  const values: unknown[] = [limit, offset]
  const termsOf = (tier: (typeof tiers)[number]) => [...queryTerms(tier, words), ...facetTerms(filter)]
  const others = priceSql(filter, values)
  const widest = tiers.at(-1)!
  const found = tiers.map((tier, place) => {
    const wider = tiers[place + 1]
    // Most searches for several words find all their hits in the widest tier.
    const ifAny = wider === undefined || wider === widest ? '' : `EXISTS (SELECT FROM in_${wider}) AND `
    return `in_${tier} AS MATERIALIZED (SELECT post_id FROM search_terms WHERE ${ifAny}${termsSql(termsOf(tier), values)})`
  })
  const entriesOf = (tier: string) => `FROM in_${tier} CROSS JOIN LATERAL (
    SELECT * FROM catalog WHERE catalog.post_id = in_${tier}.post_id OFFSET 0) entry WHERE true${others}`
  const ranked = tiers.map((tier, place) => {
    const notAbove = place === 0 ? '' : ` AND in_${tier}.post_id NOT IN (SELECT post_id FROM in_${tiers[place - 1]})`
    return `(SELECT entry.post_id, entry.stamp ${entriesOf(tier)}${notAbove} ORDER BY score DESC, entry.post_id)`
  })
  const counted = others === '' ? `FROM in_${widest}` : entriesOf(widest)
  const text = `WITH ${found.toReversed().join(', ')}
    SELECT post_id, stamp, (SELECT count(*)::int ${counted}) AS total FROM (${ranked.join(' UNION ALL ')}) ranked
    LIMIT $1 OFFSET $2`
  const { rows } = await pool.query<Listed & { total: number }>({ ...statementOf(text), values })
  const [first] = rows
  if (first) return { listed: rows.map(({ post_id, stamp }) => ({ post_id, stamp })), total: first.total }
  const isEmpty = offset === 0
  return { listed: [], total: isEmpty ? 0 : await countHitsUpTo(pool, { terms: termsOf(widest), filter }, offset) }
}

/**
 * The hits in order of tier, then of score, for searches that find many posts. Each tier is read only as far as the page
 * needs, and only among the best posts, so that no search ranks everything that it could find.
 */
export async function searchCatalog(
  pool: pg.Pool,
  { words, filter }: Search,
  { limit, offset }: Page,
  statistics: SearchStatistics,
): Promise<Listed[]> {
  const wantedIn = tiers.map((tier) => [...queryTerms(tier, words), ...facetTerms(filter)])
  const found: Listed[] = []
  const start = await firstTier(pool, { wantedIn, filter }, offset, statistics)
  let { passed } = start
  for (const [place, terms] of wantedIn.entries()) {
    if (place < start.place) continue
    const above = wantedIn[place - 1]
    const isOnPage = found.length > 0
    // On the first page all hits of the tiers above are known by now.
    const listed = offset === 0 ? found.map(({ post_id }) => post_id) : undefined
    const part = { terms, above, listed, filter, skip: isOnPage ? 0 : offset - passed, take: limit - found.length }
    found.push(...(await readTier(pool, part, statistics)))
    if (found.length === limit) break
    // At most all hits before the page: a post may have been published since this tier was read.
    if (found.length === 0 && offset > 0) passed = await countHitsUpTo(pool, { terms, filter }, offset)
  }
  return found
}

/**
 * The tier in which to look for the first hit of a page, and how many hits are in the tiers above. All hits of a tier are in the wider
 * ones too, so the widest tier that ends before the page is the only one that has to be counted.
 */
async function firstTier(
  pool: pg.Pool,
  { wantedIn, filter }: { readonly wantedIn: readonly WantedTerms[]; readonly filter: CatalogFilter },
  offset: number,
  statistics: SearchStatistics,
): Promise<{ readonly place: number; readonly passed: number }> {
  if (offset === 0) return { place: 0, passed: 0 }
  for (const [place, terms] of [...wantedIn.entries()].toReversed()) {
    const expected = (statistics.shareOf(terms) ?? 0) * statistics.posts
    // If this tier probably ends before the page starts, only count it.
    if (expected > offset) continue
    const size = await countHitsUpTo(pool, { terms, filter }, offset + 1)
    if (size <= offset) return { place: place + 1, passed: size }
  }
  return { place: 0, passed: 0 }
}

interface TierPart {
  readonly terms: WantedTerms
  /** The terms of the tier above, whose posts are already listed. */
  readonly above: WantedTerms | undefined
  /** Those posts, if all of them are known. */
  readonly listed: readonly string[] | undefined
  readonly filter: CatalogFilter
  readonly skip: number
  readonly take: number
}

const without = (share: number | undefined, above: number | undefined): number | undefined =>
  share === undefined ? undefined : Math.max(share - (above ?? 0), share / 20)

/** The first attempt reads this many times what should be enough. */
const generosity = 1.5
const smallestLook = 500
const growth = 8

async function readTier(pool: pg.Pool, part: TierPart, statistics: SearchStatistics): Promise<Listed[]> {
  // Hits of the tiers above match this one too, and must not be counted twice.
  const share = without(statistics.shareOf(part.terms), part.above && statistics.shareOf(part.above))
  let among =
    share === undefined ? Number.POSITIVE_INFINITY : smallestLook + ((part.skip + part.take) / share) * generosity
  for (;;) {
    const best = statistics.bestBands(among)
    const values: unknown[] = [part.take, part.skip]
    const { hits, others } = tierSql(part, best, values)
    // Without bands in the condition, the hits of all posts are read.
    const read = best && bandsOf(best, bandSlack) ? best.posts : statistics.posts
    const isWalk = share !== undefined && isWalkCheaper(part, share, read)
    const from = isWalk ? walked(hits) : `${fromHits(hits)} WHERE true`
    const text = `SELECT post_id, stamp FROM ${from}${others} ORDER BY score DESC, post_id LIMIT $1 OFFSET $2`
    const { rows } = await pool.query<Listed>({ ...statementOf(text), values })
    if (!best || rows.length === part.take) return rows
    among *= growth
  }
}

/** Pages from here on may be found by walking the index of scores. */
const walkFrom = 1_000
/** How many entries of the index a walk can pass in the time in which one hit is fetched and sorted. */
const fetching = 5
/** The hits of a walk are in memory, about 100 bytes each. */
const maxHitsInMemory = 250_000

/** Whether most posts down to the end of the page are hits, so that passing the others costs less than fetching and sorting all hits. */
function isWalkCheaper({ skip, take, filter }: TierPart, share: number, among: number): boolean {
  const end = skip + take
  const hits = share * among
  return end >= walkFrom && !filter.prices && hits <= maxHitsInMemory && end / share < hits * fetching
}

/** The best posts first, from the index of scores alone, without posts that do not match. `IS TRUE` keeps the planner from making it a join. */
const walked = (hits: string): string =>
  `catalog WHERE (post_id IN (SELECT post_id FROM search_terms WHERE ${hits})) IS TRUE`

/** How far a score may be from the band in the search terms: `band_slack` in SQL. */
const bandSlack = 3

/** The posts of a tier: a condition on their terms, and one on the catalog. */
function tierSql(
  { terms, above, listed, filter }: TierPart,
  best: Bands | undefined,
  values: unknown[],
): { readonly hits: string; readonly others: string } {
  const bands = best && bandsOf(best, bandSlack)
  const has = (wanted: WantedTerms) => termsSql(bands ? [...wanted, bandTerms(bands)] : wanted, values)
  const hits = has(terms) + (above ? ` AND ${withoutAbove(above)}` : '')
  const aboveFloor = best ? ` AND score >= $${values.push(best.lowest)}` : ''
  return { hits, others: aboveFloor + priceSql(filter, values) }

  function withoutAbove(wanted: WantedTerms): string {
    return listed
      ? `post_id <> ALL ($${values.push(listed)}::uuid[])`
      : `post_id NOT IN (SELECT post_id FROM search_terms WHERE ${has(wanted)})`
  }
}
