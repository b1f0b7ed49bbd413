import type { CatalogQuery } from '@pennypost/contract/discovery'
import { fold, literalTerms, queryGramsOf, wordTerms } from '../posts/catalog/search-terms.ts'
import type { Rates } from '../rails/rates.ts'
import type { Listed } from './card-store.ts'
import { type CatalogFilter, priceSql } from './catalog-filter.ts'
import { nanoPrice, orders } from './catalog-orders.ts'
import type { CatalogVersion } from './catalog-version.ts'
import { readWholeWords } from './read-query.ts'
import type { DiscoveryServices } from './services.ts'
import { facetTerms, fromHits, termsSql } from './terms-sql.ts'

interface LiteralQuery {
  readonly q: string
  readonly filter: CatalogFilter
  readonly sort: CatalogQuery['sort']
  readonly rates: Rates | undefined
}

/** No more candidates than this are checked, the best first. */
const maxCandidates = 1_000

/**
 * A query with `%`, `_`, `/` or a backslash is searched for as literal text, ignoring case, within one public field. The
 * index finds posts with its punctuation and inner words; their texts are then checked. Paid text is never searched
 * literally: one could read it out word by word.
 */
export async function searchLiterally(
  services: DiscoveryServices,
  version: CatalogVersion,
  { q: query, filter, sort, rates }: LiteralQuery,
): Promise<Listed[]> {
  const words = await readWholeWords(services, version, innerPart(query))
  const terms = [
    ...literalTerms(queryGramsOf(query)),
    ...words.map(({ keys }) => wordTerms('whole', keys).join()),
    ...facetTerms(filter),
  ]
  const values: unknown[] = []
  const found = fromHits(termsSql(terms, values))
  const { rows: candidates } = await services.searchPool.query<Candidate>(
    `SELECT candidate.post_id, candidate.stamp, post.title, post.description, account.name, account.handle, post.free_text
     FROM (SELECT post_id, stamp, row_number() OVER (ORDER BY ${orders[sort]}) AS place
       FROM (SELECT *, ${nanoPrice(values, rates)} AS raw FROM ${found} WHERE true${priceSql(filter, values)}) priced
       ORDER BY place LIMIT ${maxCandidates}) candidate
     JOIN posts post ON post.id = candidate.post_id JOIN accounts account ON account.id = post.account_id
     ORDER BY candidate.place`,
    values,
  )
  const hits = candidates.flatMap((candidate) => {
    const tier = tierOf(candidate, query)
    return tier === undefined ? [] : [{ post_id: candidate.post_id, stamp: candidate.stamp, tier }]
  })
  return sort === 'recommended' ? hits.toSorted((one, other) => one.tier - other.tier) : hits
}

interface Candidate extends Listed {
  readonly title: string
  readonly description: string
  readonly name: string
  readonly handle: string
  readonly free_text: string
}

/** The fields in which the query may occur, the best first. */
function tierOf(candidate: Candidate, query: string): number | undefined {
  const wanted = query.toLowerCase()
  const has = (text: string) => text.toLowerCase().includes(wanted)
  if (has(candidate.title)) return 0
  if (has(candidate.description)) return 1
  if (has(candidate.name) || has(candidate.handle)) return 2
  return has(candidate.free_text) ? 3 : undefined
}

/** The part between the first and the last punctuation mark or space; words at the ends may be parts of longer words. */
const innerPart = (query: string): string =>
  fold(query)
    .replace(/^[\p{L}\p{N}\p{M}]+/u, '')
    .replace(/[\p{L}\p{N}\p{M}]+$/u, '')
