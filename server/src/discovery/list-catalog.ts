import type { CatalogQuery, listPublicPosts as declared, PostPage } from '@pennypost/contract/discovery'
import { Remembered } from '@pennypost/contract/endpoint'
import type { PublicPostRow } from '../posts/catalog/public-post.ts'
import { isLiteral, queryWordsOf } from '../posts/catalog/terms.ts'
import { areFresh } from '../rails/rates.ts'
import type { Handler, Services } from '../services.ts'
import { browseCatalog } from './browse-catalog.ts'
import { readCards } from './card-store.ts'
import { type CatalogFilter, catalogFilter } from './catalog-filter.ts'
import { countCatalog } from './count-catalog.ts'
import { postSummary } from './post-summary.ts'
import { countHits, searchCatalog, sortHits } from './search-catalog.ts'
import { searchLiterally } from './search-literally.ts'

export const listPublicPosts: Handler<typeof declared> = async (services, { query, origin }) => ({
  status: 200,
  body: await listCatalog(services, query, origin),
})

/** A page of the catalog, for the API and for pages. */
export function listCatalog(services: Services, query: CatalogQuery, origin: string): Promise<Remembered<PostPage>> {
  const { discovery, rates, clock } = services
  const current = rates.current()
  const priced = areFresh(current, clock.now()) ? `${current.XNO.usd} ${current.USDC.usd}` : ''
  const key = JSON.stringify([origin, priced, query], (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  return discovery.answers.find(key, async () => {
    const filter = catalogFilter(services, query)
    const { posts, total } = await findPosts(services, query, filter)
    return new Remembered({
      data: posts.map((post) => postSummary(services, post, origin)),
      total,
      page: query.page,
      perPage: query.per_page,
    })
  })
}

async function findPosts(
  services: Services,
  query: CatalogQuery,
  filter: CatalogFilter,
): Promise<{ posts: PublicPostRow[]; total: number }> {
  const { pool, searchPool, rates, clock, discovery } = services
  const page = { limit: query.per_page, offset: (query.page - 1) * query.per_page }
  const current = rates.current()
  const fresh = areFresh(current, clock.now()) ? current : undefined
  const totalOf = (count: () => Promise<number>) => discovery.answers.find(totalKey(query.q, filter), count)
  if (query.q === '') {
    const [posts, total] = await Promise.all([
      browseCatalog(pool, filter, query.sort, page, fresh),
      totalOf(() => countCatalog(services, filter)),
    ])
    return { posts, total }
  }
  if (isLiteral(query.q)) {
    const hits = await searchLiterally(searchPool, query.q, filter)
    const posts = await readCards(pool, hits.slice(page.offset, page.offset + page.limit))
    return { posts, total: hits.length }
  }
  const words = queryWordsOf(query.q)
  if (words.length === 0) return { posts: [], total: 0 }
  const statistics = await discovery.statistics()
  const search = { words, filter }
  const [ids, total] = await Promise.all([
    query.sort === 'recommended'
      ? searchCatalog(searchPool, search, page, statistics)
      : sortHits(searchPool, search, query.sort, page, fresh),
    totalOf(() => countHits(searchPool, search, statistics)),
  ])
  return { posts: await readCards(pool, ids), total }
}

const totalKey = (q: string, { facets, prices }: CatalogFilter): string =>
  `total ${q} ${facets} ${prices?.map((range) => Object.values(range))}`
