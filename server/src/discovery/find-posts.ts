import type { CatalogQuery } from '@pennypost/contract/discovery'
import { isLiteral, type QueryWord, queryTerms } from '../posts/catalog/search-terms.ts'
import { areFresh, type Rates } from '../rails/rates.ts'
import { browseCatalog } from './browse-catalog.ts'
import { cacheKey } from './cached-page.ts'
import type { Listed } from './card-store.ts'
import { type CatalogFilter, catalogFilter } from './catalog-filter.ts'
import { type CatalogVersion, versionOf } from './catalog-version.ts'
import { collectHits } from './collect-hits.ts'
import { countCatalog, maxCounted } from './count-catalog.ts'
import { countHits, expectedHits, maxCollected, type Search, type Total } from './count-hits.ts'
import { readQuery } from './read-query.ts'
import { collectRankedHits, searchCatalog } from './search-catalog.ts'
import { searchLiterally } from './search-literally.ts'
import type { DiscoveryServices } from './services.ts'
import { facetTerms } from './terms-sql.ts'

interface Found extends Total {
  readonly listed: readonly Listed[]
}

interface Page {
  readonly limit: number
  readonly offset: number
}

/** The posts of a catalog page at this version of the catalog. */
export async function findPosts(
  services: DiscoveryServices,
  version: CatalogVersion,
  query: CatalogQuery,
): Promise<Found> {
  const filter = catalogFilter(services, query)
  const { searchPool, rates, clock, discovery } = services
  const page = { limit: query.per_page, offset: (query.page - 1) * query.per_page }
  const current = rates.current()
  const fresh = areFresh(current, clock.now()) ? current : undefined
  if (isLiteral(query.q)) {
    const hits = await searchLiterally(services, version, { q: query.q, filter, sort: query.sort, rates: fresh })
    return { listed: hits.slice(page.offset, page.offset + page.limit), total: hits.length, isExact: true }
  }
  const words = await readQuery(services, version, query.q)
  if (words.length === 0 && query.q !== '') return { listed: [], total: 0, isExact: true }
  const statistics = await discovery.statistics()
  const search = words.length > 0 ? { words, filter } : undefined
  const isRanked = search !== undefined && query.sort === 'recommended'
  if (isRanked && expectedHits(search, statistics) <= maxCollected)
    return { ...(await collectRankedHits(searchPool, search, page)), isExact: true }
  const [listed, total] = await Promise.all([
    isRanked
      ? listRanked(services, version, { search, q: query.q }, page)
      : listInOrder(services, version, { words, filter, sort: query.sort, rates: fresh }, page),
    discovery.totalCache.get(version.content, cacheKey(['total', query.q, filter]), () =>
      countPosts(services, filter, search),
    ),
  ])
  return { listed, ...(total.isExact ? total : correctedTotal(total, page, listed.length)) }
}

/** How many posts match a filter, or are found by a search. */
async function countPosts(
  services: DiscoveryServices,
  filter: CatalogFilter,
  search: Search | undefined,
): Promise<Total> {
  if (search) return countHits(services.searchPool, search, await services.discovery.statistics())
  const total = await countCatalog(services, filter)
  return { total, isExact: total !== maxCounted }
}

/** A page shows whether there are more: clients that compare with the total must not stop too early, or go on forever. */
function correctedTotal({ total }: Total, { limit, offset }: Page, listed: number): Total {
  const seen = offset + listed
  if (listed === limit) return { total: Math.max(total, seen + 1), isExact: false }
  // Beyond the last page the end is not known.
  return listed > 0 ? { total: seen, isExact: true } : { total: Math.min(total, seen), isExact: false }
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
  version: CatalogVersion,
  order: Order,
  page: Page,
): Promise<readonly Listed[]> {
  if (order.words.length > 0) return readInOrder(services, order, page)
  const { sort, filter, rates } = order
  const usd = sort.startsWith('price') && rates ? [rates.XNO.usd, rates.USDC.usd] : []
  return cutFromStretches(page, stretch, (part) =>
    services.discovery.stretchCache.get(
      versionOf(version, sort),
      cacheKey([sort, usd, filter, part.offset]),
      (): Promise<readonly Listed[]> => readInOrder(services, order, part),
    ),
  )
}

/** Everything before a page has to be ranked. Readers of a far page usually turn to the next one, so a long stretch is read at a time. */
const farFrom = 5_000
const farStretch = 1_000

async function listRanked(
  { searchPool, discovery }: DiscoveryServices,
  version: CatalogVersion,
  { search, q }: { readonly search: Search; readonly q: string },
  page: Page,
): Promise<readonly Listed[]> {
  const statistics = await discovery.statistics()
  const read = (part: Page): Promise<readonly Listed[]> => searchCatalog(searchPool, search, part, statistics)
  if (page.offset < farFrom) return read(page)
  return cutFromStretches(page, farStretch, (part) =>
    discovery.farCache.get(versionOf(version, 'recommended'), cacheKey([q, search.filter, part.offset]), () =>
      read(part),
    ),
  )
}

/** Cuts a page from stretches of `size` posts. */
async function cutFromStretches(
  page: Page,
  size: number,
  read: (stretch: Page) => Promise<readonly Listed[]>,
): Promise<readonly Listed[]> {
  const end = page.offset + page.limit
  const found: Listed[] = []
  for (let offset = page.offset - (page.offset % size); offset < end; offset += size) {
    const listed = await read({ limit: size, offset })
    found.push(...listed.slice(Math.max(page.offset - offset, 0), end - offset))
    if (listed.length < size) break
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
