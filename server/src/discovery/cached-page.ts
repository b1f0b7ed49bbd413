import type { CatalogQuery } from '@pennypost/contract/discovery'
import { areFresh } from '../rails/rates.ts'
import { type CatalogVersion, versionOf } from './catalog-version.ts'
import type { DiscoveryServices } from './services.ts'

interface Asked {
  readonly sort: CatalogQuery['sort']
  /** Everything that the page depends on besides the catalog and the exchange rates. */
  readonly parts: readonly unknown[]
}

/** Returns the cached page while its part of the catalog and the exchange rates are unchanged. */
export async function cachedPage<Page>(
  { discovery, rates, clock }: Pick<DiscoveryServices, 'discovery' | 'rates' | 'clock'>,
  { sort, parts }: Asked,
  make: (version: CatalogVersion) => Promise<Page>,
): Promise<Page> {
  const version = await discovery.version()
  const current = rates.current()
  const priced = areFresh(current, clock.now()) ? `${current.XNO.usd} ${current.USDC.usd}` : ''
  return discovery.pageCache.get(versionOf(version, sort), cacheKey([priced, ...parts]), () => make(version))
}

/** What was asked for, in one line. */
export const cacheKey = (parts: unknown): string =>
  JSON.stringify(parts, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
