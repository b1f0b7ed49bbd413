import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/until.ts'
import { type Pace, pacedBody } from './paced-body.ts'

async function* piecesOf(...names: string[]) {
  for (const name of names) yield Buffer.from(name)
}

test('a turn lasts from a piece until the next one is asked for', async () => {
  const sizes: number[] = []
  let open = 0
  const pace: Pace = async (bytes, work) => {
    sizes.push(bytes)
    await until('the turn before has ended', () => open === 0)
    open += 1
    await work()
    open -= 1
  }
  const pieces: string[] = []
  for await (const piece of pacedBody(piecesOf('a', 'bb'), pace)) {
    pieces.push(String(piece))
    await new Promise(setImmediate)
    equal(open, 1)
  }
  await until('the last turn has ended', () => open === 0)
  deepEqual(
    [pieces, sizes],
    [
      ['a', 'bb'],
      [1, 2],
    ],
  )
})

test('a reader that leaves, or takes long with a piece, gives its turn back', async () => {
  let open = 0
  const pace: Pace = async (_bytes, work) => {
    open += 1
    await work()
    open -= 1
  }
  for await (const _ of pacedBody(piecesOf('a', 'b'), pace)) break
  await until('the turn ended', () => open === 0)
  const slow = pacedBody(piecesOf('a'), pace)
  await slow.next()
  equal(open, 1)
  await until('the turn ended though nobody asked for more', () => open === 0)
})

test('a piece that may not even wait fails the body', async () => {
  const full: Pace = () => Promise.reject(new Error('full'))
  await rejects(pacedBody(piecesOf('a'), full).next(), /full/)
})
