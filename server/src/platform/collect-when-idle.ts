import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { processorTimeMs } from './work-limit.ts'

interface IdleOptions {
  readonly checkEveryMs: number
  /** A process that works for less than this part of the time is idle. */
  readonly idleUtilization: number
  /** The time over which utilization is measured. */
  readonly idleMs: number
  /** How much memory must have been taken since the last collection. */
  readonly growthBytes: number
  /** The shortest time between two collections. */
  readonly pauseMs: number
  /** How much space new objects may keep. */
  readonly newSpaceBytes: number
  /** Called before a collection, to drop what can be made again, such as finished replies. */
  readonly emptyCaches: () => void
}

const maxMinors = 15

const defaults: IdleOptions = {
  checkEveryMs: 2_000,
  // Checks of a balancer and metrics every second are two percent of a slow core; ten readers a second are more than that.
  idleUtilization: 0.04,
  // V8 judges by the last five seconds how much is allocated, and so how much space new objects need.
  idleMs: 10_000,
  growthBytes: 16 * 1024 * 1024,
  pauseMs: 30_000,
  newSpaceBytes: 8 * 1024 * 1024,
  emptyCaches: () => {},
}

/**
 * Gives memory back after a crowd has left. V8 collects garbage when it needs room for more, so a process that does nothing
 * would keep what it used at its busiest time. A collection takes about a fifth of a second, so it waits until there have
 * been no requests for a while. Caches are emptied too: there is time to fill them again later. The space for new objects
 * (32 MB) shrinks only when V8 collects new objects alone and sees that few were made, so we ask for such collections
 * afterwards: each takes a few milliseconds, and up to four of them were needed. Returns a function that stops it.
 */
export function collectWhenIdle(options: Partial<IdleOptions> = {}): () => void {
  const { checkEveryMs, idleUtilization, idleMs, growthBytes, pauseMs, newSpaceBytes, emptyCaches } = {
    ...defaults,
    ...options,
  }
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  const marks: Mark[] = []
  let takenAfterLast = 0
  let notBefore = 0
  let minors = 0
  const check = () => {
    const now = markNow()
    marks.push(now)
    while (marks.length > 2 && now.at - marks[1]!.at >= idleMs) marks.shift()
    const first = marks[0]!
    if (first === now || workedShare(first, now) >= idleUtilization) {
      minors = 0
      return
    }
    const isDue = now.at >= notBefore && now.at - first.at >= idleMs
    if (!isDue || memoryTaken() < takenAfterLast + growthBytes) {
      if (newSpaceTaken() <= newSpaceBytes || minors === maxMinors) return
      minors += 1
      collect({ type: 'minor' })
      return
    }
    emptyCaches()
    // Usually V8 moves the objects of few pages together. After hours of load, most pages are nearly empty.
    setFlagsFromString('--compact-on-every-full-gc')
    collect()
    setFlagsFromString('--no-compact-on-every-full-gc')
    takenAfterLast = memoryTaken()
    notBefore = performance.now() + pauseMs
    // Collecting counts as work, so measuring starts over.
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

/** Without the space for new objects, which has its own rule. Finished replies are bytes outside of the heap. */
function memoryTaken(): number {
  const { heapTotal, external } = process.memoryUsage()
  return heapTotal - newSpaceTaken() + external
}

const newSpaceTaken = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size
