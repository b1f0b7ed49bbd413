import { searches } from '@pennypost/contract/discovery'
import type { CatalogFilters, showCatalog as declared } from '@pennypost/contract/public-pages'
import { CatalogPage } from '@pennypost/site/components/catalog-page'
import { cachedPage } from '../discovery/cached-page.ts'
import { enforceLimitOfIp } from '../platform/limits/enforce-limit.ts'
import { listCatalogPage } from './list-catalog-page.ts'
import { postCard } from './post-card.ts'
import type { Handler, SiteServices } from './services.ts'
import { sitePage } from './site-page.ts'

export const showCatalog: Handler<typeof declared> = async (services, { query, origin, ip }) => {
  if (query.q) await enforceLimitOfIp(services, searches, ip)
  return cachedPage(services, ['page', origin, services.site.version(), query], () =>
    catalogPage(services, query, origin),
  )
}

async function catalogPage(services: SiteServices, query: CatalogFilters, origin: string) {
  const settings = services.site.settings()
  const { posts, hasMore } = await listCatalogPage(services, query)
  const { page, ...filters } = query
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const pathOf = (other: number) => pathWith(filters, other)
  return sitePage(settings, {
    title: filters.q,
    description: settings.description || settings.tagline,
    canonicalUrl: origin + pathOf(page),
    feedPath: '/',
    hasOwnSearch: true,
    // Every combination of filters is a different URL; crawlers find the posts through the sitemap.
    hidden: isFiltered || posts.length === 0,
    body: CatalogPage({
      tagline: settings.tagline,
      filters,
      isFiltered,
      posts: posts.map(postCard),
      page,
      hasMore,
      pathOf,
    }),
  })
}

function pathWith(filters: Omit<CatalogFilters, 'page'>, page: number): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) search.append(name, value)
  if (page > 1) search.append('page', String(page))
  return search.size > 0 ? `/?${search}` : '/'
}
