import { searches } from '@pennypost/contract/discovery'
import type { CatalogFilters, showCatalog as declared } from '@pennypost/contract/public-pages'
import { CatalogPage } from '@pennypost/site/components/catalog-page'
import { catalogPath } from '@pennypost/site/paths'
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
  return sitePage(settings, {
    title: filters.q,
    description: settings.description || settings.tagline,
    canonicalUrl: origin + catalogPath(filters, page),
    feedPath: '/',
    hasOwnSearch: true,
    // Every combination of filters is a different URL; crawlers find the posts through the sitemap.
    hidden: posts.length === 0 || Object.values(filters).some((value) => value !== undefined),
    body: CatalogPage({
      tagline: settings.tagline,
      description: settings.description,
      canSignUp: settings.registration !== 'closed',
      filters,
      posts: posts.map((post) => postCard(services, post)),
      page,
      hasMore,
    }),
  })
}
