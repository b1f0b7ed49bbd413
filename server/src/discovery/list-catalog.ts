import type { CatalogQuery, listPublicPosts as declared, PostPage } from '@pennypost/contract/discovery'
import { Written } from '@pennypost/contract/endpoint'
import type { PublicPostRow } from '../posts/catalog/public-post.ts'
import { isLiteral, queryWordsOf } from '../posts/catalog/terms.ts'
import { areFresh } from '../rails/rates.ts'
import type { Handler, Services } from '../services.ts'
import { browseCatalog } from './browse-catalog.ts'
import { type Listed, readPosts } from './card-store.ts'
import { type CatalogFilter, catalogFilter } from './catalog-filter.ts'
import { countCatalog } from './count-catalog.ts'
import { countHits, searchCatalog, sortHits } from './search-catalog.ts'
import { searchLiterally } from './search-literally.ts'

export const listPublicPosts: Handler<typeof declared> = async (services, { query, origin }) => ({
  status: 200,
  body: await listCatalog(services, query, origin),
})

/** A page of the catalog as the API answers it. */
function listCatalog(services: Services, query: CatalogQuery, origin: string): Promise<Written<PostPage>> {
  const { discovery, rates, clock } = services
  const current = rates.current()
  const priced = areFresh(current, clock.now()) ? `${current.XNO.usd} ${current.USDC.usd}` : ''
  const key = keyOf([origin, priced, query])
  return discovery.answers.find(key, async () => {
    const { listed, total } = await findPosts(services, query)
    const data = await discovery.summaries.write(listed, origin)
    return new Written(
      Buffer.from(`{"data":[${data}],"total":${total},"page":${query.page},"perPage":${query.per_page}}`),
    )
  })
}

/** A page of the catalog for pages. */
export async function readCatalogPage(
  services: Services,
  query: CatalogQuery,
): Promise<{ posts: PublicPostRow[]; total: number }> {
  const { listed, total } = await findPosts(services, query)
  return { posts: await readPosts(services.pool, listed), total }
}

async function findPosts(services: Services, query: CatalogQuery): Promise<{ listed: Listed[]; total: number }> {
  const filter = catalogFilter(services, query)
  const { pool, searchPool, rates, clock, discovery } = services
  const page = { limit: query.per_page, offset: (query.page - 1) * query.per_page }
  const current = rates.current()
  const fresh = areFresh(current, clock.now()) ? current : undefined
  const totalOf = (count: () => Promise<number>) => discovery.totals.find(totalKey(query.q, filter), count)
  if (query.q === '') {
    const [listed, total] = await Promise.all([
      browseCatalog(pool, filter, query.sort, page, fresh),
      totalOf(() => countCatalog(services, filter)),
    ])
    return { listed, total }
  }
  if (isLiteral(query.q)) {
    const hits = await searchLiterally(searchPool, query.q, filter, query.sort, fresh)
    return { listed: hits.slice(page.offset, page.offset + page.limit), total: hits.length }
  }
  const words = queryWordsOf(query.q)
  if (words.length === 0) return { listed: [], total: 0 }
  const statistics = await discovery.statistics()
  const search = { words, filter }
  const [listed, total] = await Promise.all([
    query.sort === 'recommended'
      ? searchCatalog(searchPool, search, page, statistics)
      : sortHits(searchPool, search, query.sort, page, fresh),
    totalOf(() => countHits(searchPool, search, statistics)),
  ])
  return { listed, total }
}

const totalKey = (q: string, filter: CatalogFilter): string => keyOf(['total', q, filter])

const keyOf = (parts: unknown): string =>
  JSON.stringify(parts, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
