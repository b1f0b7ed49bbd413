import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { processorTimeMs } from './work-limit.ts'

interface IdleOptions {
  readonly checkEveryMs: number
  /** A process that works for less than this part of the time is idle. */
  readonly idleUtilization: number
  /** Over how long this is judged. */
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
  // Checks of a balancer and metrics every second are two percent of a slow core; ten readers a second are more than that.
  idleUtilization: 0.04,
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
  const marks: Mark[] = []
  let takenAfterLast = 0
  let notBefore = 0
  let isHalfDone = false
  const check = () => {
    const now = markNow()
    marks.push(now)
    const judgedMs = isHalfDone ? secondAfterMs : idleMs
    while (marks.length > 2 && now.at - marks[1]!.at >= judgedMs) marks.shift()
    const first = marks[0]!
    if (first === now || now.at - first.at < judgedMs) return
    if (workedShare(first, now) >= idleUtilization) {
      isHalfDone = false
      return
    }
    if (now.at < notBefore) return
    if (!isHalfDone && memoryTaken() < takenAfterLast + growthBytes) return
    if (!isHalfDone) emptyCaches()
    collect()
    if (isHalfDone) {
      takenAfterLast = memoryTaken()
      notBefore = performance.now() + pauseMs
    }
    isHalfDone = !isHalfDone
    // Collecting is work too.
    marks.splice(0, marks.length, markNow())
  }
  const timer = setInterval(check, checkEveryMs).unref()
  return () => clearInterval(timer)
}

/** A moment, and how long this thread had worked until then. */
interface Mark {
  readonly at: number
  readonly eventLoop: ReturnType<typeof performance.eventLoopUtilization>
  readonly processorMs: number | undefined
}

const markNow = (): Mark => ({
  at: performance.now(),
  eventLoop: performance.eventLoopUtilization(),
  processorMs: processorTimeMs({ thread: process.pid }),
})

/** While other programs or the host have the processor, the event loop seems to work, but no processor time passes. */
function workedShare(first: Mark, last: Mark): number {
  const { utilization } = performance.eventLoopUtilization(last.eventLoop, first.eventLoop)
  if (first.processorMs === undefined || last.processorMs === undefined) return utilization
  return Math.min(utilization, (last.processorMs - first.processorMs) / (last.at - first.at))
}

/** Finished replies are bytes outside of the heap. */
function memoryTaken(): number {
  const { heapTotal, external } = process.memoryUsage()
  return heapTotal + external
}
