/**
 * Runs the same work once for all concurrent callers, and caches nothing. A caller never gets the result of a run that
 * started before it called, so its result includes everything that was committed by then: callers that arrive during a
 * run share the next one.
 */
export interface SingleFlight {
  run<Value>(key: string, work: () => Promise<Value>): Promise<Value>
}

export function singleFlight(): SingleFlight {
  const running = new Map<string, Promise<unknown>>()
  const next = new Map<string, Promise<unknown>>()
  const start = (key: string, work: () => Promise<unknown>): Promise<unknown> => {
    const started = work()
    running.set(key, started)
    const done = () => {
      if (running.get(key) === started) running.delete(key)
    }
    started.then(done, done)
    return started
  }
  return {
    run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
      const before = running.get(key)
      if (!before) return start(key, work) as Promise<Value>
      const waiting = next.get(key)
      if (waiting) return waiting as Promise<Value>
      const following = before
        .catch(() => {})
        .then(() => {
          next.delete(key)
          return start(key, work)
        })
      next.set(key, following)
      return following as Promise<Value>
    },
  }
}
