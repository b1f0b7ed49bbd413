import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { singleFlight } from './single-flight.ts'

/** Work that the test finishes. */
function slowWork() {
  const ends: (() => void)[] = []
  const work = () => {
    const number = ends.length + 1
    return new Promise<number>((resolve) => ends.push(() => resolve(number)))
  }
  return { work, ends }
}

test('callers that arrive during a run share the next run, which starts after it', async () => {
  const shared = singleFlight()
  const { work, ends } = slowWork()
  const first = shared.run('a', work)
  const later = [shared.run('a', work), shared.run('a', work)]
  await turn()
  equal(ends.length, 1)
  ends[0]!()
  equal(await first, 1)
  await turn()
  equal(ends.length, 2)
  const last = shared.run('a', work)
  ends[1]!()
  deepEqual(await Promise.all(later), [2, 2])
  await turn()
  ends[2]!()
  equal(await last, 3)
})

test('other keys do not wait, and a failure is not shared with later callers', async () => {
  const shared = singleFlight()
  const { work, ends } = slowWork()
  const slow = shared.run('slow', work)
  equal(await shared.run('quick', async () => 'done'), 'done')
  ends[0]!()
  await slow
  const failing = shared.run('x', () => Promise.reject(new Error('not now')))
  const after = shared.run('x', async () => 'well')
  await rejects(failing)
  equal(await after, 'well')
})
