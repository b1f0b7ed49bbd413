import type { AccessServices } from '../access/services.ts'
import { type SingleFlight, singleFlight } from '../platform/single-flight.ts'
import { type CatalogVersion, catalogVersion } from './catalog-version.ts'
import { openPostStamps, type PostStamps } from './post-stamps.ts'
import { type SearchStatistics, searchStatistics } from './search-statistics.ts'
import { createStampedReplies, type StampedReplies } from './stamped-replies.ts'
import { createSummaries, type Summaries } from './summaries.ts'
import { createVersionedCache, type VersionedCache } from './versioned-cache.ts'

/** The caches and counters of this room. */
export interface Discovery {
  /** Reads the catalog's version; see catalog-version.ts. */
  readonly version: () => Promise<CatalogVersion>
  /** Pages. They contain exchange rates with a time, so they are cached for seconds only. */
  readonly pageCache: VersionedCache
  /** How many posts match a filter. A separate cache, so that many pages cannot evict the counts. */
  readonly totalCache: VersionedCache
  /** Stretches of the catalog's orders, from which pages are cut. */
  readonly stretchCache: VersionedCache
  /** The same of searches, for pages that are far in. */
  readonly farCache: VersionedCache
  /** Posts that are similar to one. */
  readonly similarCache: VersionedCache
  /** Completions of words in queries. */
  readonly wordCache: VersionedCache
  /** Shares one query among concurrent requests for the same thing. */
  readonly flights: SingleFlight
  readonly postStamps: PostStamps
  readonly postReplies: StampedReplies
  readonly summaries: Summaries
  readonly statistics: () => Promise<SearchStatistics>
  /** Gives up everything that can be made again. */
  emptyCaches(): void
}

export const openDiscovery = (
  parts: Pick<AccessServices, 'pool' | 'clock' | 'config' | 'rates' | 'base' | 'nano'>,
): Discovery => {
  const caches = {
    pageCache: createVersionedCache(parts.clock, { lifetimeMs: 10_000, maxEntries: 400 }),
    totalCache: createVersionedCache(parts.clock, { lifetimeMs: 600_000, maxEntries: 400 }),
    stretchCache: createVersionedCache(parts.clock, { lifetimeMs: 600_000, maxEntries: 400 }),
    // Of a thousand posts each: nine megabytes at most.
    farCache: createVersionedCache(parts.clock, { lifetimeMs: 600_000, maxEntries: 64 }),
    similarCache: createVersionedCache(parts.clock, { lifetimeMs: 600_000, maxEntries: 2_000 }),
    wordCache: createVersionedCache(parts.clock, { lifetimeMs: 600_000, maxEntries: 1_000 }),
    postReplies: createStampedReplies(parts.pool),
    summaries: createSummaries(parts),
  }
  return {
    ...caches,
    version: catalogVersion(parts.pool),
    flights: singleFlight(),
    postStamps: openPostStamps(parts.pool),
    statistics: searchStatistics(parts.pool, parts.clock),
    emptyCaches() {
      for (const cache of Object.values(caches)) cache.empty()
    },
  }
}
