/**
 * Work that many want at the same moment, done once for all of them. Nobody gets what was begun before they asked, so
 * that whatever was committed by then is in their answer: who comes while it is under way shares the next one. A busy
 * moment works as often as a quiet one, and nothing is kept.
 */
export interface SingleFlight {
  run<Value>(key: string, work: () => Promise<Value>): Promise<Value>
}

export function singleFlight(): SingleFlight {
  const underWay = new Map<string, Promise<unknown>>()
  const next = new Map<string, Promise<unknown>>()
  const begin = (key: string, work: () => Promise<unknown>): Promise<unknown> => {
    const begun = work()
    underWay.set(key, begun)
    const done = () => {
      if (underWay.get(key) === begun) underWay.delete(key)
    }
    begun.then(done, done)
    return begun
  }
  return {
    run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
      const before = underWay.get(key)
      if (!before) return begin(key, work) as Promise<Value>
      const waiting = next.get(key)
      if (waiting) return waiting as Promise<Value>
      const following = before
        .catch(() => {})
        .then(() => {
          next.delete(key)
          return begin(key, work)
        })
      next.set(key, following)
      return following as Promise<Value>
    },
  }
}
