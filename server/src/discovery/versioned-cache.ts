import type { Clock } from '../platform/clock.ts'

interface Answer {
  readonly version: string
  readonly expiresAt: number
  readonly value: Promise<unknown>
}

/** Answers made before, each good while the catalog stands as it stood and for a while. */
export interface VersionedCache {
  /** `make` runs once for all who ask the same at one version. */
  get<Value>(version: string, key: string, make: () => Promise<Value>): Promise<Value>
}

interface Bounds {
  readonly lifetimeMs: number
  readonly most: number
}

export function createVersionedCache(clock: Clock, { lifetimeMs, most }: Bounds): VersionedCache {
  const known = new Map<string, Answer>()
  const remember = (key: string, answer: Answer) => {
    known.delete(key)
    known.set(key, answer)
    if (known.size > most) known.delete(known.keys().next().value!)
    // What failed is no answer.
    answer.value.catch(() => {
      if (known.get(key) === answer) known.delete(key)
    })
  }
  return {
    get<Value>(version: string, key: string, make: () => Promise<Value>): Promise<Value> {
      const now = clock.now().getTime()
      const answer = known.get(key)
      if (answer?.version === version && now < answer.expiresAt) {
        // Asked for again: it is the last to go.
        known.delete(key)
        known.set(key, answer)
        return answer.value as Promise<Value>
      }
      const value = make()
      remember(key, { version, expiresAt: now + lifetimeMs, value })
      return value
    },
  }
}
