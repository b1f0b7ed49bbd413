import type { CatalogQuery, listPublicPosts as declared, PostPage } from '@pennypost/contract/discovery'
import { Written } from '@pennypost/contract/endpoint'
import { etagOf } from '../platform/http/conditional-request.ts'
import type { ListedPostRow } from '../posts/catalog/public-post.ts'
import { cachedPage } from './cached-page.ts'
import { readPosts } from './card-store.ts'
import { findPosts } from './find-posts.ts'
import { limitSearches } from './limit-searches.ts'
import type { DiscoveryServices, Handler } from './services.ts'

export const listPublicPosts: Handler<typeof declared> = async (services, { query, origin, ip }) => {
  await limitSearches(services, query, ip)
  const body = await listCatalog(services, query, origin)
  return { status: 200, headers: { etag: etagOfPage(body) }, body }
}

// Pages are cached, so each is hashed once.
const etags = new WeakMap<Written<PostPage>, string>()

function etagOfPage(page: Written<PostPage>): string {
  const etag = etags.get(page) ?? etagOf(page.text)
  etags.set(page, etag)
  return etag
}

/** A page of the catalog as the API returns it. */
const listCatalog = (services: DiscoveryServices, query: CatalogQuery, origin: string): Promise<Written<PostPage>> =>
  cachedPage(services, { sort: query.sort, parts: [origin, query] }, async (version) => {
    const { listed, total, isExact } = await findPosts(services, version, query)
    const data = await services.discovery.summaries.write(listed, origin)
    return new Written(
      `{"data":[${data}],"total":${total},"totalIsExact":${isExact},"page":${query.page},"perPage":${query.per_page}}`,
    )
  })

/** A page of the catalog for the site. */
export async function readCatalogPage(
  services: DiscoveryServices,
  query: CatalogQuery,
): Promise<{ posts: ListedPostRow[]; total: number }> {
  const { listed, total } = await findPosts(services, await services.discovery.version(), query)
  return { posts: await readPosts(services.pool, listed), total }
}
