import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { fairQueue, type QueueFull } from './fair-queue.ts'

/** Tasks that finish when told to, and the order in which they started. */
function controlled(slots = 1) {
  const queue = fairQueue({ slots, maxSize: 100, maxSizeOfOwner: 40 })
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const run = (owner: string, name: string, size = 1) =>
    queue.run(owner, size, () => {
      started.push(name)
      return new Promise<string>((resolve) => finish.set(name, () => resolve(name)))
    })
  return { queue, started, run, finish: (name: string) => finish.get(name)!() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('someone who has not used the queue waits for one task at most', async () => {
  const { started, run, finish } = controlled()
  const loud = ['a1', 'a2', 'a3'].map((name) => run('a', name))
  const quiet = run('b', 'b1')
  finish('a1')
  await settled()
  deepEqual(started, ['a1', 'b1'])
  finish('b1')
  equal(await quiet, 'b1')
  await settled()
  finish('a2')
  await settled()
  finish('a3')
  deepEqual(await Promise.all(loud), ['a1', 'a2', 'a3'])
})

test('an owner has one task running, even if slots are free', async () => {
  const { queue, started, run, finish } = controlled(2)
  const all = [run('a', 'a1'), run('a', 'a2'), run('b', 'b1')]
  await settled()
  deepEqual(started, ['a1', 'b1'])
  const idle = queue.idle()
  for (const name of ['a1', 'b1', 'a2']) {
    finish(name)
    await settled()
  }
  await Promise.all(all)
  await idle
})

test('what waits is bounded, for one owner and for all', async () => {
  const { run, finish, started } = controlled()
  const accepted = [run('a', 'a1', 1000), run('a', 'a2', 40)]
  await rejects(run('a', 'a3', 1), (error: QueueFull) => error.ofOwner)
  accepted.push(run('b', 'b1', 40))
  await rejects(run('c', 'c1', 30), (error: QueueFull) => !error.ofOwner)
  accepted.push(run('c', 'c2', 20))
  for (let count = 0; count < 4; count += 1) {
    finish(started.at(-1)!)
    await settled()
  }
  await Promise.all(accepted)
})

test('a task that fails makes room like any other', async () => {
  const queue = fairQueue({ slots: 1, maxSize: 10, maxSizeOfOwner: 10 })
  await rejects(
    queue.run('a', 1, () => Promise.reject(new Error('broken'))),
    /broken/,
  )
  equal(await queue.run('a', 1, async () => 'fine'), 'fine')
  await queue.idle()
})
