import { LRUCache } from 'lru-cache'
import type { Clock } from '../platform/clock.ts'
import { entriesAtMost } from '../platform/entries-at-most.ts'

/** Results that are valid for one version of the catalog, and for a limited time. */
export interface VersionedCache {
  /** Concurrent requests for the same key and version share one call of `make`. */
  get<Value>(version: string, key: string, make: () => Promise<Value>): Promise<Value>
  empty(): void
}

interface Entry {
  readonly version: string
  readonly value: Promise<unknown>
}

interface Bounds {
  readonly lifetimeMs: number
  readonly maxEntries: number
}

export function createVersionedCache(clock: Clock, { lifetimeMs, maxEntries }: Bounds): VersionedCache {
  const cache = new LRUCache<string, Entry>({
    ...entriesAtMost(maxEntries),
    ttl: lifetimeMs,
    // The service's clock, which development and tests can move; it is read every time.
    perf: { now: () => clock.now().getTime() },
    ttlResolution: 0,
  })
  return {
    get<Value>(version: string, key: string, make: () => Promise<Value>): Promise<Value> {
      const known = cache.get(key)
      if (known?.version === version) return known.value as Promise<Value>
      const value = make()
      const entry: Entry = { version, value }
      cache.set(key, entry)
      // Failures are not cached.
      value.catch(() => {
        if (cache.peek(key) === entry) cache.delete(key)
      })
      return value
    },
    empty: () => cache.clear(),
  }
}
