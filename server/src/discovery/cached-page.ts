import { areFresh } from '../rails/rates.ts'
import type { DiscoveryServices } from './services.ts'

/** A page made before is given again while the catalog and the exchange rates stand as they stood. */
export async function cachedPage<Page>(
  { discovery, rates, clock }: Pick<DiscoveryServices, 'discovery' | 'rates' | 'clock'>,
  asked: readonly unknown[],
  make: (version: string) => Promise<Page>,
): Promise<Page> {
  const version = await discovery.version()
  const current = rates.current()
  const priced = areFresh(current, clock.now()) ? `${current.XNO.usd} ${current.USDC.usd}` : ''
  return discovery.pageCache.get(version, cacheKey([priced, ...asked]), () => make(version))
}

/** What was asked for, in one line. */
export const cacheKey = (parts: unknown): string =>
  JSON.stringify(parts, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
