import { searches } from '@pennypost/contract/discovery'
import type { CatalogFilters, showCatalog as declared } from '@pennypost/contract/public-pages'
import { cachedPage } from '../discovery/cached-page.ts'
import { html } from '../platform/http/page.ts'
import { enforceLimitOfIp } from '../platform/limits/enforce-limit.ts'
import { catalogForm } from './catalog-form.ts'
import { oneLine } from './clean-text.ts'
import { listCatalogPage } from './list-catalog-page.ts'
import { postList } from './post-list.ts'
import type { Handler, SiteServices } from './services.ts'
import { pager, sitePage } from './site-page.ts'

export const showCatalog: Handler<typeof declared> = async (services, { query, origin, ip }) => {
  if (query.q) await enforceLimitOfIp(services, searches, ip)
  return cachedPage(services, ['page', origin, query], () => catalogPage(services, query, origin))
}

async function catalogPage(services: SiteServices, query: CatalogFilters, origin: string) {
  const { posts, hasMore } = await listCatalogPage(services, query)
  const { page, ...filters } = query
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const addressOf = (other: number) => addressWith(filters, other)
  return sitePage({
    title: filters.q ? `${filters.q} · Pennypost` : 'Pennypost',
    description: 'Posts that are free, or cost cents.',
    canonicalUrl: origin + addressOf(page),
    feedPath: '/',
    hasOwnSearch: true,
    // Every combination of filters is a different URL; crawlers find the posts through the sitemap.
    hidden: isFiltered || posts.length === 0,
    body: html`<main id="main" class="list">
<h1>${filters.q ? html`Posts about <q dir="auto">${oneLine(filters.q)}</q>` : 'Posts that are free, or cost cents'}</h1>
${catalogForm(filters)}
${posts.length > 0 ? postList(posts) : html`<p class="empty">${isFiltered ? 'Nothing was found. Fewer words, or fewer filters, find more.' : html`Nothing is published yet. <a href="/studio">Write the first Post</a>.`}</p>`}
${isFiltered && html`<p><a href="/">All Posts</a></p>`}
${pager(page, hasMore, addressOf)}
</main>`,
  })
}

function addressWith(filters: Omit<CatalogFilters, 'page'>, page: number): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) search.append(name, value)
  if (page > 1) search.append('page', String(page))
  return search.size > 0 ? `/?${search}` : '/'
}
