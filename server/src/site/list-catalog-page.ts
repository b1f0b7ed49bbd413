import { CatalogQuery } from '@pennypost/contract/discovery'
import { invalidRequest } from '@pennypost/contract/errors'
import { networkOf } from '@pennypost/contract/money'
import type { CatalogFilters } from '@pennypost/contract/public-pages'
import { readCatalogPage } from '../discovery/list-public-posts.ts'
import { fieldErrors } from '../platform/http/field-errors.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { ListedPostRow } from '../posts/catalog/public-post.ts'
import type { SiteServices } from './services.ts'

const perPage = 24
/** The last page of the catalog. */
const lastPage = 1000

export interface CatalogPage {
  readonly posts: readonly ListedPostRow[]
  readonly hasMore: boolean
}

/** The posts of a catalog page: the same that the API returns for these filters. */
export async function listCatalogPage(services: SiteServices, filters: CatalogFilters): Promise<CatalogPage> {
  const query = CatalogQuery.safeParse({
    ...filters,
    // The form has a field for the asset only; each asset has one network.
    network: filters.network ?? networkOf[filters.asset as keyof typeof networkOf],
    page: String(filters.page),
    per_page: String(perPage),
  })
  if (!query.success) return refuse(invalidRequest, { errors: fieldErrors(query.error) })
  const { posts, total } = await readCatalogPage(services, query.data)
  const { page } = query.data
  return { posts, hasMore: page * perPage < total && page < lastPage }
}
