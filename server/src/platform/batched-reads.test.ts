import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { batchedReads } from './batched-reads.ts'

test('callers of the same moment share a query, and so do those that come while others are answered', async () => {
  const batches: number[][] = []
  let finish = () => {}
  const read = batchedReads(
    async (keys: readonly number[]) => {
      batches.push([...keys])
      if (batches.length === 1) await new Promise<void>((resolve) => (finish = resolve))
      return keys.map((key) => key * 10)
    },
    { maxKeys: 3, maxBatches: 1 },
  )
  const first = Promise.all([read(1), read(2)])
  await new Promise((resolve) => setImmediate(resolve))
  const second = Promise.all([3, 4, 5, 6].map(read))
  await new Promise((resolve) => setImmediate(resolve))
  deepEqual(batches, [[1, 2]])
  finish()
  deepEqual(await first, [10, 20])
  deepEqual(await second, [30, 40, 50, 60])
  deepEqual(batches, [[1, 2], [3, 4, 5], [6]])
})

test('an error reaches the callers of its batch only', async () => {
  const read = batchedReads(
    async (keys: readonly string[]) => {
      if (keys.includes('bad')) throw new Error('no answer')
      return keys
    },
    { maxKeys: 1, maxBatches: 2 },
  )
  const [good, bad] = [read('good'), read('bad')]
  await rejects(bad, /no answer/)
  equal(await good, 'good')
  ok(await read('later'))
})
