import { deepEqual, equal, ok } from 'node:assert/strict'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { collectWhenIdle } from './collect-when-idle.ts'

const checkEveryMs = 20
/** A process that is always idle, and has always grown. */
const always = { checkEveryMs, idleUtilization: 2, growthBytes: -Infinity, idleMs: 0 }

interface CollectionEntry extends PerformanceEntry {
  readonly detail: { readonly kind: number; readonly flags: number }
}

/** Counts the collections of one kind that code asked for. V8 makes others whenever it needs room. */
function countCollections(t: TestContext, wanted = constants.NODE_PERFORMANCE_GC_MAJOR): () => number {
  let count = 0
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as CollectionEntry[]) {
      const { kind, flags } = entry.detail
      const isForced = (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0
      if (kind === wanted && isForced) count += 1
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
  while (count() === 0 && Date.now() < until) await wait(checkEveryMs)
  await severalChecks()
  equal(count(), 1)
  deepEqual(collectionsBefore, [0], 'caches are emptied first, so that what was in them is collected')
})

test('the space for new objects is made small again', async (t) => {
  const kept = Array.from({ length: 300_000 }, () => ({ number: Math.random() }))
  while (newSpace() < 16_000_000)
    kept.splice(0, 1_000, ...Array.from({ length: 1_000 }, () => ({ number: Math.random() })))
  const countMajor = countCollections(t)
  // V8 judges by the last five seconds.
  const inSeconds = { checkEveryMs: 800 }
  t.after(collectWhenIdle({ ...always, ...inSeconds, growthBytes: Infinity, newSpaceBytes: 4_000_000 }))
  const until = Date.now() + 20_000
  while (newSpace() > 4_000_000 && Date.now() < until) await wait(checkEveryMs)
  ok(newSpace() <= 4_000_000, `${newSpace()} bytes`)
  equal(countMajor(), 0)
  ok(kept.length > 0)
})

test('new objects are collected a bounded number of times', async (t) => {
  const count = countCollections(t, constants.NODE_PERFORMANCE_GC_MINOR)
  t.after(collectWhenIdle({ ...always, growthBytes: Infinity, newSpaceBytes: 0 }))
  const until = Date.now() + 20_000
  while (count() < 15 && Date.now() < until) await wait(checkEveryMs)
  await severalChecks()
  equal(count(), 15)
})

test('nothing is collected until the process was idle for a while', async (t) => {
  const count = countCollections(t)
  t.after(collectWhenIdle({ ...always, idleMs: 60_000 }))
  await severalChecks()
  equal(count(), 0)
})

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

const newSpace = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size

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

const heapTotal = () => process.memoryUsage().heapTotal

/** Keeps one object of a hundred, so that nearly no page is empty. */
function scatter(): { kept: object[]; most: number } {
  const all = Array.from({ length: 1_500_000 }, () => ({ one: Math.random(), two: Math.random() }))
  const most = heapTotal()
  return { kept: all.filter((_, index) => index % 100 === 0), most }
}

test('pages that are nearly empty are given back', async (t) => {
  const before = heapTotal()
  const { kept, most } = scatter()
  const enough = before + (most - before) / 2
  t.after(collectWhenIdle(always))
  const until = Date.now() + 20_000
  while (heapTotal() > enough && Date.now() < until) await wait(checkEveryMs)
  ok(heapTotal() <= enough, `${before}, ${most} and then ${heapTotal()} bytes`)
  ok(kept.length > 0)
})
