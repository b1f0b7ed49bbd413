import type { AccessServices } from '../access/services.ts'
import { type SingleFlight, singleFlight } from '../platform/single-flight.ts'
import { catalogVersion } from './catalog-version.ts'
import { countReaders, type Readers } from './readers.ts'
import { type SearchStatistics, searchStatistics } from './search-statistics.ts'
import { createSummaries, type Summaries } from './summaries.ts'
import { createVersionedCache, type VersionedCache } from './versioned-cache.ts'

/** What the room keeps between requests. */
export interface Discovery {
  /** How the catalog stands; see catalog-version.ts. */
  readonly version: () => Promise<string>
  /** Pages. They quote exchange rates with a time, so they are kept for seconds only. */
  readonly pageCache: VersionedCache
  /** How many Posts filters let through. Apart, so that a flood of pages does not push them out. */
  readonly totalCache: VersionedCache
  /** Stretches of the catalog's orders, which pages are cut from. */
  readonly stretchCache: VersionedCache
  /** Pages that several ask for at the same moment. */
  readonly pageFlights: SingleFlight
  readonly readers: Readers
  readonly summaries: Summaries
  readonly statistics: () => Promise<SearchStatistics>
}

export const openDiscovery = (
  parts: Pick<AccessServices, 'pool' | 'clock' | 'log' | 'secrets' | 'config' | 'rates' | 'base'>,
): Discovery => ({
  version: catalogVersion(parts.pool),
  pageCache: createVersionedCache(parts.clock, { lifetimeMs: 10_000, maxEntries: 400 }),
  totalCache: createVersionedCache(parts.clock, { lifetimeMs: 600_000, maxEntries: 400 }),
  stretchCache: createVersionedCache(parts.clock, { lifetimeMs: 600_000, maxEntries: 400 }),
  pageFlights: singleFlight(),
  readers: countReaders(parts),
  summaries: createSummaries(parts),
  statistics: searchStatistics(parts.pool, parts.clock),
})
