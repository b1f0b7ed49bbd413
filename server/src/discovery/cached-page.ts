import type { CatalogQuery } from '@pennypost/contract/discovery'
import { type CatalogVersion, versionOf } from './catalog-version.ts'
import { pricingState } from './pricing-state.ts'
import type { DiscoveryServices } from './services.ts'

interface Asked {
  readonly sort: CatalogQuery['sort']
  /** Everything that the page depends on besides the catalog and the state of prices. */
  readonly parts: readonly unknown[]
}

/** Returns the cached page while its part of the catalog and what prices depend on are unchanged. */
export async function cachedPage<Page>(
  services: DiscoveryServices,
  { sort, parts }: Asked,
  make: (version: CatalogVersion) => Promise<Page>,
): Promise<Page> {
  const { discovery } = services
  const version = await discovery.version()
  return discovery.pageCache.get(versionOf(version, sort), cacheKey([pricingState(services), ...parts]), () =>
    make(version),
  )
}

/** The key of a page in the cache. */
export const cacheKey = (parts: unknown): string =>
  JSON.stringify(parts, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
