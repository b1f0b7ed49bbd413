import { CatalogQuery } from '@pennypost/contract/discovery'
import { invalidRequest } from '@pennypost/contract/errors'
import { networkOf } from '@pennypost/contract/money'
import type { CatalogFilters } from '@pennypost/contract/site'
import { readCards } from '../discovery/card-store.ts'
import { listCatalog } from '../discovery/list-catalog.ts'
import { fieldErrors } from '../platform/http/field-errors.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { PublicPostRow } from '../posts/catalog/public-post.ts'
import type { Services } from '../services.ts'

const perPage = 24

export interface CatalogPage {
  readonly posts: readonly PublicPostRow[]
  readonly hasMore: boolean
}

/** What the catalog page lists: what the API would answer to the same filters. */
export async function listCatalogPage(
  services: Services,
  filters: CatalogFilters,
  origin: string,
): Promise<CatalogPage> {
  const asked = CatalogQuery.safeParse({
    ...filters,
    // The form asks for an asset; each has one network.
    network: filters.network ?? networkOf[filters.asset as keyof typeof networkOf],
    page: String(filters.page),
    per_page: String(perPage),
  })
  if (!asked.success) return refuse(invalidRequest, { errors: fieldErrors(asked.error) })
  const { data, total, page } = (await listCatalog(services, asked.data, origin)).value
  const posts = await readCards(
    services.pool,
    data.map(({ id }) => id),
  )
  return { posts, hasMore: page * perPage < total }
}
