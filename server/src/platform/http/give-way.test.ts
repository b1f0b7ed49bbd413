import { deepEqual, equal } from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { until } from '../../test/until.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { createGiveWay, createUploadsGiveWay } from './give-way.ts'

const places = Math.max(2, availableParallelism())

/** Writes of as many people as there are places, and of one more. Each takes a moment. */
function writesOfMany() {
  const concurrency = createConcurrencyLimit()
  const giveWay = createGiveWay(concurrency)
  const started: number[] = []
  const releases: (() => void)[] = []
  for (let person = 0; person <= places; person += 1) {
    const write = () => {
      started.push(person)
      return new Promise<void>((resolve) => releases.push(resolve))
    }
    void giveWay(`person ${person}`, 10, write, `192.0.2.${person}`)
  }
  return { concurrency, started, finishFirst: () => releases[0]!() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const everyone = Array.from({ length: places + 1 }, (_, person) => person)

test('while someone reads, the place of a write stays empty for a while before the next one starts', async () => {
  const { concurrency, started, finishFirst } = writesOfMany()
  let stopReading = () => {}
  const reader = { ip: '192.0.2.1', hasLeft: () => false, reject: () => {} }
  concurrency.run(reader, () => new Promise<void>((resolve) => (stopReading = resolve)))
  await new Promise((resolve) => setTimeout(resolve, 5)) // the write takes a while
  finishFirst()
  await settled()
  deepEqual(started, everyone.slice(0, places))
  await until('the last write has started', () => started.length > places)
  deepEqual(started, everyone)
  stopReading()
})

test('while nobody reads, the next write starts at once', async () => {
  const { started, finishFirst } = writesOfMany()
  finishFirst()
  await settled()
  deepEqual(started, everyone)
})

test('what is read a moment ago counts too: a quick read is over before the next write', async () => {
  const { concurrency, started, finishFirst } = writesOfMany()
  concurrency.run({ ip: '192.0.2.1', hasLeft: () => false, reject: () => {} }, async () => undefined)
  await new Promise((resolve) => setTimeout(resolve, 5))
  finishFirst()
  await settled()
  deepEqual(started, everyone.slice(0, places))
  await until('the last write has started', () => started.length > places)
})

test('pieces of uploads have one place, and the address that sent less goes first', async () => {
  const giveWay = createUploadsGiveWay(createConcurrencyLimit())
  const order: string[] = []
  const piece = (account: string, address: string) =>
    giveWay(account, 64_000, async () => void order.push(account), address)
  const slow = giveWay('a', 64_000, () => new Promise((resolve) => setTimeout(resolve, 600)), '192.0.2.1')
  await Promise.all([slow, piece('b', '192.0.2.1'), piece('c', '192.0.2.1'), piece('d', '192.0.2.2')])
  deepEqual(order, ['d', 'b', 'c'])
})

test('a piece of each of five hundred uploads has room to wait', async () => {
  const giveWay = createUploadsGiveWay(createConcurrencyLimit())
  const handled: number[] = []
  const largest = 192 * 1024
  const piece = (_: unknown, index: number) =>
    giveWay(`account ${index % 5}`, largest, async () => void handled.push(index), '192.0.2.1')
  await Promise.all(Array.from({ length: 500 }, piece))
  equal(handled.length, 500)
})
