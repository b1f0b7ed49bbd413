import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

interface IdleOptions {
  readonly checkEveryMs: number
  /** A process that works for less than this part of the time is idle. */
  readonly idleUtilization: number
  /** For how long it has to be idle. */
  readonly idleMs: number
  /** How much memory must have been taken since the last collection. */
  readonly growthBytes: number
  /** Between the first collection and the second. */
  readonly secondAfterMs: number
  /** After the second, until there may be another. */
  readonly pauseMs: number
  /** Called before: gives up what can be made again, such as finished replies. */
  readonly emptyCaches: () => void
}

const defaults: IdleOptions = {
  checkEveryMs: 2_000,
  // Checks of a balancer and metrics every second are two percent of a slow core; a reader a second is more than that.
  idleUtilization: 0.05,
  // V8 judges by the last five seconds how much is allocated, and so how much space new objects need.
  idleMs: 10_000,
  growthBytes: 16 * 1024 * 1024,
  secondAfterMs: 4_000,
  pauseMs: 30_000,
  emptyCaches: () => {},
}

/**
 * Gives memory back after a crowd has left. V8 collects garbage when it needs room for more, so a process that does nothing would
 * keep what it used at its busiest time. A collection takes about a tenth of a second, so it has to wait until nobody has come for
 * a while. V8 then makes the space for new objects small, because it has seen that few are made; the second collection gives back
 * the pages that the first emptied. Caches are emptied too: while nobody waits, there is time to make again what is in
 * them. Returns a function that stops it.
 */
export function collectWhenIdle(options: Partial<IdleOptions> = {}): () => void {
  const { checkEveryMs, idleUtilization, idleMs, growthBytes, secondAfterMs, pauseMs, emptyCaches } = {
    ...defaults,
    ...options,
  }
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let before = performance.eventLoopUtilization()
  let takenAfterLast = 0
  let nextAt = performance.now() + idleMs
  let isHalfDone = false
  const waitAtLeast = (ms: number) => {
    nextAt = Math.max(nextAt, performance.now() + ms)
  }
  const check = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization >= idleUtilization) {
      isHalfDone = false
      waitAtLeast(idleMs)
      return
    }
    if (performance.now() < nextAt) return
    if (!isHalfDone && memoryTaken() < takenAfterLast + growthBytes) return
    if (!isHalfDone) emptyCaches()
    collect()
    if (isHalfDone) takenAfterLast = memoryTaken()
    waitAtLeast(isHalfDone ? pauseMs : secondAfterMs)
    isHalfDone = !isHalfDone
    before = performance.eventLoopUtilization()
  }
  const timer = setInterval(check, checkEveryMs).unref()
  return () => clearInterval(timer)
}

/** Finished replies are bytes outside of the heap. */
function memoryTaken(): number {
  const { heapTotal, external } = process.memoryUsage()
  return heapTotal + external
}
