import { CatalogQuery } from '@pennypost/contract/discovery'
import { invalidRequest } from '@pennypost/contract/errors'
import { networkOf } from '@pennypost/contract/money'
import type { CatalogFilters } from '@pennypost/contract/public-pages'
import { readCatalogPage } from '../discovery/list-catalog.ts'
import { fieldErrors } from '../platform/http/field-errors.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { PublicPostRow } from '../posts/catalog/public-post.ts'
import type { SiteServices } from './services.ts'

const perPage = 24
/** §8: there is no page after it. */
const deepestPage = 1000

export interface CatalogPage {
  readonly posts: readonly PublicPostRow[]
  readonly hasMore: boolean
}

/** What the catalog page lists: what the API would answer to the same filters. */
export async function listCatalogPage(services: SiteServices, filters: CatalogFilters): Promise<CatalogPage> {
  const asked = CatalogQuery.safeParse({
    ...filters,
    // The form asks for an asset; each has one network.
    network: filters.network ?? networkOf[filters.asset as keyof typeof networkOf],
    page: String(filters.page),
    per_page: String(perPage),
  })
  if (!asked.success) return refuse(invalidRequest, { errors: fieldErrors(asked.error) })
  const { posts, total } = await readCatalogPage(services, asked.data)
  const { page } = asked.data
  return { posts, hasMore: page * perPage < total && page < deepestPage }
}
