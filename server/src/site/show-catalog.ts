import type { CatalogQuery } from '@pennypost/contract/discovery'
import type { CatalogFilters, showCatalog as declared } from '@pennypost/contract/public-pages'
import { defaultSiteSettings } from '@pennypost/contract/site-settings'
import { CatalogPage } from '@pennypost/site/components/catalog-page'
import { catalogPath } from '@pennypost/site/paths'
import { hasAdmin } from '../accounts/admin-claim.ts'
import { cachedPage } from '../discovery/cached-page.ts'
import { limitSearches } from '../discovery/limit-searches.ts'
import { findSuggestions } from '../discovery/suggestion-store.ts'
import { listCatalogPage } from './list-catalog-page.ts'
import { postCard } from './post-card.ts'
import type { Handler, SiteServices } from './services.ts'
import { sitePage } from './site-page.ts'

export const showCatalog: Handler<typeof declared> = async (services, { query, origin, ip }) => {
  await limitSearches(services, query, ip)
  return cachedPage(
    services,
    // Other values of `sort` are refused when the page is made.
    {
      sort: (query.sort ?? 'recommended') as CatalogQuery['sort'],
      parts: ['page', origin, services.site.version(), query],
    },
    () => catalogPage(services, query, origin),
  )
}

/** Most authors, and most tags, among the results of a search. */
const maxOthers = 4

async function catalogPage(services: SiteServices, query: CatalogFilters, origin: string) {
  const settings = services.site.settings()
  const { posts, hasMore } = await listCatalogPage(services, query)
  const { page, ...filters } = query
  const { q, sort, ...narrowed } = filters
  const isPlainSearch = q !== undefined && page === 1 && Object.values(narrowed).every((value) => value === undefined)
  const others = isPlainSearch ? await findSuggestions(services.searchPool, q, maxOthers) : []
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
      setup: {
        hasAdmin: posts.length > 0 || (await hasAdmin(services.db)),
        hasName: settings.name !== defaultSiteSettings.name,
      },
      people: others
        .filter(({ kind }) => kind === 'creator')
        .map(({ handle, label, avatar_url }) => ({ handle: handle!, name: label, avatarUrl: avatar_url })),
      tags: others.filter(({ kind }) => kind === 'tag').map(({ label, slug }) => ({ name: label, slug: slug! })),
      filters,
      posts: posts.map((post) => postCard(services, post)),
      page,
      hasMore,
    }),
  })
}
