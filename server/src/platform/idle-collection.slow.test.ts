import { deepEqual, equal, ok } from 'node:assert/strict'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { collectWhenIdle } from './idle-collection.ts'

const checkEveryMs = 20
/** A process that is always idle, and has always grown. */
const always = { checkEveryMs, idleUtilization: 2, growthBytes: -Infinity, idleMs: 0, secondAfterMs: 0 }

interface CollectionEntry extends PerformanceEntry {
  readonly detail: { readonly kind: number; readonly flags: number }
}

/** Counts the collections that code asked for. V8 makes others whenever it needs room. */
function countCollections(t: TestContext): () => number {
  let count = 0
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as CollectionEntry[]) {
      const { kind, flags } = entry.detail
      const isForced = (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0
      if (kind === constants.NODE_PERFORMANCE_GC_MAJOR && isForced) count += 1
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  t.after(() => observer.disconnect())
  return () => count
}

/** Long enough for several checks, however slow the machine is: its timers run in order. */
async function severalChecks(): Promise<void> {
  for (let check = 0; check < 5; check += 1) await wait(checkEveryMs)
}

test('an idle process whose heap has grown collects garbage, and then leaves it for a while', async (t) => {
  const count = countCollections(t)
  const collectionsBefore: number[] = []
  const emptyCaches = () => void collectionsBefore.push(count())
  t.after(collectWhenIdle({ ...always, emptyCaches }))
  const until = Date.now() + 20_000
  while (count() < 2 && Date.now() < until) await wait(checkEveryMs)
  equal(count(), 2, 'one that empties pages, and one that gives them back')
  await severalChecks()
  equal(count(), 2)
  deepEqual(collectionsBefore, [0], 'caches are emptied first, so that what was in them is collected')
})

test('nothing is collected until the process was idle for a while', async (t) => {
  const count = countCollections(t)
  t.after(collectWhenIdle({ ...always, idleMs: 60_000 }))
  await severalChecks()
  equal(count(), 0)
})

test('the second collection waits for a while', async (t) => {
  const count = countCollections(t)
  t.after(collectWhenIdle({ ...always, secondAfterMs: 60_000 }))
  const until = Date.now() + 20_000
  while (count() === 0 && Date.now() < until) await wait(checkEveryMs)
  await severalChecks()
  equal(count(), 1)
})

test('a process that works between the two collections begins again', async (t) => {
  let emptied = 0
  const isBusyAbove = 0.5
  t.after(
    collectWhenIdle({ ...always, idleUtilization: isBusyAbove, secondAfterMs: 200, emptyCaches: () => void emptied++ }),
  )
  const until = Date.now() + 20_000
  while (emptied === 0 && Date.now() < until) await wait(checkEveryMs)
  work(200)
  while (emptied === 1 && Date.now() < until) await wait(checkEveryMs)
  equal(emptied, 2)
})

/** Keeps the process busy from one check to the next, and the one after it. */
function work(milliseconds: number): void {
  const until = Date.now() + milliseconds
  while (Date.now() < until);
}

test('nothing is collected while the process works, or if its heap has not grown', async (t) => {
  const count = countCollections(t)
  t.after(collectWhenIdle({ ...always, idleUtilization: 0 }))
  t.after(collectWhenIdle({ ...always, growthBytes: Infinity }))
  await severalChecks()
  equal(count(), 0)
})

test('bytes outside of the heap count too', async (t) => {
  const count = countCollections(t)
  const growthBytes = 100_000_000
  let kept: Buffer | undefined
  t.after(collectWhenIdle({ ...always, growthBytes, pauseMs: 0, emptyCaches: () => (kept = undefined) }))
  await severalChecks()
  const before = count()
  kept = Buffer.alloc(2 * growthBytes)
  const until = Date.now() + 20_000
  while (count() === before && Date.now() < until) await wait(checkEveryMs)
  ok(count() > before)
  equal(kept, undefined)
})

const heapUsed = () => process.memoryUsage().heapUsed

/** Returns how much was used meanwhile. A function, so that no variable of the test keeps it. */
function useMemory(): number {
  const numbers = Array.from({ length: 50_000 }, () => Array.from({ length: 100 }, () => Math.random()))
  ok(numbers.length > 0)
  return heapUsed()
}

test('memory that is no longer needed is given back', async (t) => {
  const busy = useMemory()
  t.after(collectWhenIdle(always))
  const until = Date.now() + 20_000
  while (heapUsed() > busy - 30_000_000 && Date.now() < until) await wait(checkEveryMs)
  ok(heapUsed() <= busy - 30_000_000, `${busy} to ${heapUsed()} bytes`)
})
