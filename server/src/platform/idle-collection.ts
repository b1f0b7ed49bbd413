import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

interface IdleOptions {
  readonly checkEveryMs: number
  /** A process that works for less than this part of the time is idle. */
  readonly idleUtilization: number
  /** How much the heap must have grown since the last collection. */
  readonly growthBytes: number
  readonly pauseMs: number
}

const defaults: IdleOptions = {
  checkEveryMs: 2_000,
  idleUtilization: 0.02,
  growthBytes: 16 * 1024 * 1024,
  pauseMs: 60_000,
}

/**
 * Gives memory back after a crowd has left. V8 collects garbage when it needs room for more, so a process that does nothing would
 * keep what it used at its busiest time. A collection takes about a tenth of a second, so it has to wait until nobody else
 * does. Returns a function that stops it.
 */
export function collectWhenIdle(options: Partial<IdleOptions> = {}): () => void {
  const { checkEveryMs, idleUtilization, growthBytes, pauseMs } = { ...defaults, ...options }
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let before = performance.eventLoopUtilization()
  let heapAfterLast = 0
  let nextAt = 0
  const check = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const isIdle = utilization < idleUtilization && performance.now() >= nextAt
    if (!isIdle || process.memoryUsage().heapTotal < heapAfterLast + growthBytes) return
    collect()
    // The first one empties pages, and the second gives them back.
    collect()
    heapAfterLast = process.memoryUsage().heapTotal
    nextAt = performance.now() + pauseMs
    before = performance.eventLoopUtilization()
  }
  const timer = setInterval(check, checkEveryMs).unref()
  return () => clearInterval(timer)
}
