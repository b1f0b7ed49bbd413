import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sharedWork } from './shared-work.ts'

/** Work that ends when it is told to. */
function slowWork() {
  const ends: (() => void)[] = []
  const work = () => {
    const number = ends.length + 1
    return new Promise<number>((resolve) => ends.push(() => resolve(number)))
  }
  return { work, ends }
}

test('whoever comes while work is under way shares the next, which begins after it', async () => {
  const shared = sharedWork()
  const { work, ends } = slowWork()
  const first = shared.do('a', work)
  const later = [shared.do('a', work), shared.do('a', work)]
  await turn()
  equal(ends.length, 1)
  ends[0]!()
  equal(await first, 1)
  await turn()
  equal(ends.length, 2)
  const last = shared.do('a', work)
  ends[1]!()
  deepEqual(await Promise.all(later), [2, 2])
  await turn()
  ends[2]!()
  equal(await last, 3)
})

test('other work does not wait, and what failed is not shared with who came later', async () => {
  const shared = sharedWork()
  const { work, ends } = slowWork()
  const slow = shared.do('slow', work)
  equal(await shared.do('quick', async () => 'done'), 'done')
  ends[0]!()
  await slow
  const failing = shared.do('x', () => Promise.reject(new Error('not now')))
  const after = shared.do('x', async () => 'well')
  await rejects(failing)
  equal(await after, 'well')
})
