import type { CatalogFilters } from '@pennypost/contract/site'
import type { PublicPostRow } from '../discovery/public-post-store.ts'
import type { Services } from '../services.ts'
import { listNewestPosts } from './site-post-store.ts'

const perPage = 24

export interface CatalogPage {
  readonly posts: readonly PublicPostRow[]
  readonly hasMore: boolean
}

/** What the catalog page lists. The newest Posts: search and filters are the catalog's, which this stands in for. */
export async function listCatalogPage({ pool }: Services, { page }: CatalogFilters): Promise<CatalogPage> {
  const found = await listNewestPosts(pool, perPage + 1, (page - 1) * perPage)
  return { posts: found.slice(0, perPage), hasMore: found.length > perPage }
}
