import type { CatalogQuery } from '@pennypost/contract/discovery'
import { isLiteral, type QueryWord, queryTerms } from '../posts/catalog/search-terms.ts'
import { areFresh, type Rates } from '../rails/rates.ts'
import { browseCatalog } from './browse-catalog.ts'
import { cacheKey } from './cached-page.ts'
import type { Listed } from './card-store.ts'
import { type CatalogFilter, catalogFilter } from './catalog-filter.ts'
import { collectHits } from './collect-hits.ts'
import { countCatalog } from './count-catalog.ts'
import { readQuery } from './read-query.ts'
import { countHits, searchCatalog } from './search-catalog.ts'
import { searchLiterally } from './search-literally.ts'
import type { DiscoveryServices } from './services.ts'
import { facetTerms } from './terms-sql.ts'

interface Found {
  readonly listed: readonly Listed[]
  readonly total: number
}

interface Page {
  readonly limit: number
  readonly offset: number
}

/** The posts of a catalog page at this version of the catalog. */
export async function findPosts(services: DiscoveryServices, version: string, query: CatalogQuery): Promise<Found> {
  const filter = catalogFilter(services, query)
  const { searchPool, rates, clock, discovery } = services
  const page = { limit: query.per_page, offset: (query.page - 1) * query.per_page }
  const current = rates.current()
  const fresh = areFresh(current, clock.now()) ? current : undefined
  if (isLiteral(query.q)) {
    const hits = await searchLiterally(services, version, { q: query.q, filter, sort: query.sort, rates: fresh })
    return { listed: hits.slice(page.offset, page.offset + page.limit), total: hits.length }
  }
  const words = await readQuery(services, version, query.q)
  if (words.length === 0 && query.q !== '') return { listed: [], total: 0 }
  const statistics = await discovery.statistics()
  const [listed, total] = await Promise.all([
    words.length > 0 && query.sort === 'recommended'
      ? searchCatalog(searchPool, { words, filter }, page, statistics)
      : listInOrder(services, version, { words, filter, sort: query.sort, rates: fresh }, page),
    discovery.totalCache.get(version, cacheKey(['total', query.q, filter]), () =>
      words.length > 0 ? countHits(searchPool, { words, filter }, statistics) : countCatalog(services, filter),
    ),
  ])
  return { listed, total }
}

interface Order {
  readonly words: readonly QueryWord[]
  readonly filter: CatalogFilter
  readonly sort: CatalogQuery['sort']
  /** Omitted if they are too old to compare prices with. */
  readonly rates: Rates | undefined
}

/** How many posts of an order are read together; adjacent pages are cut from one stretch. */
const stretch = 240

async function listInOrder(
  services: DiscoveryServices,
  version: string,
  order: Order,
  page: Page,
): Promise<readonly Listed[]> {
  if (order.words.length > 0) return readInOrder(services, order, page)
  const { sort, filter, rates } = order
  const usd = sort.startsWith('price') && rates ? [rates.XNO.usd, rates.USDC.usd] : []
  const end = page.offset + page.limit
  const firstStretch = page.offset - (page.offset % stretch)
  const found: Listed[] = []
  for (let offset = firstStretch; offset < end; offset += stretch) {
    const read = () => readInOrder(services, order, { limit: stretch, offset })
    const listed = await services.discovery.stretchCache.get(version, cacheKey([sort, usd, filter, offset]), read)
    found.push(...listed.slice(Math.max(page.offset - offset, 0), end - offset))
    if (listed.length < stretch) break
  }
  return found
}

/** Rough costs of skipping a row of an index, and of fetching and sorting a match of the term index. */
const passing = { byColumns: 2, byWords: 8 }
const collecting = 1

/** Chooses the cheaper way: walking the order's index past what does not match, or sorting all matches. */
async function readInOrder(services: DiscoveryServices, order: Order, page: Page): Promise<Listed[]> {
  const { words, filter, sort, rates } = order
  const terms = queryTerms('whole', words)
  const statistics = await services.discovery.statistics()
  const wanted = [...terms, ...facetTerms(filter)]
  // Words that the statistics do not list are rare.
  const share = statistics.shareOf(wanted) ?? 0
  const walked = ((page.offset + page.limit) / share) * (words.length > 0 ? passing.byWords : passing.byColumns)
  // Each single facet has an index by score.
  const hasIndex = wanted.length === 0 || (wanted.length === 1 && words.length === 0 && sort === 'recommended')
  const isWalk = hasIndex || walked < share * statistics.posts * collecting
  if (isWalk) return browseCatalog(services.pool, { filter, terms, sort, rates }, page)
  return collectHits(services.searchPool, { filter, terms, sort, rates }, page)
}
