import { deepEqual, equal, rejects } from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { until } from '../../test/until.ts'
import { type Pace, pacedBody } from './paced-body.ts'

const kilobyte = 1024
const chunk = (name: string, bytes = 64 * kilobyte) => Buffer.alloc(bytes, name)
const bodyOf = (...chunks: Buffer[]) => Readable.from(chunks)

test('a turn is for as many chunks as make a piece, and lasts until the next piece is asked for', async () => {
  const sizes: number[] = []
  let open = 0
  const pace: Pace = async (bytes, work) => {
    sizes.push(bytes / kilobyte)
    await until('the turn before has ended', () => open === 0)
    open += 1
    await work()
    open -= 1
  }
  const given: string[] = []
  for await (const each of pacedBody(bodyOf(...[...'abcdefghi'].map((name) => chunk(name))), pace)) {
    given.push(String(each.subarray(0, 1)))
    await new Promise(setImmediate)
    equal(open, 1)
  }
  await until('the last turn has ended', () => open === 0)
  deepEqual([given.join(''), sizes], ['abcdefghi', [128, 128, 128, 128, 64]])
})

test('while a piece waits, no more than another one is read', async () => {
  let read = 0
  const body = new Readable({
    highWaterMark: 64 * kilobyte,
    read() {
      read += 1
      this.push(chunk('a'))
    },
  })
  const paced = pacedBody(body, (_bytes, work) => work())
  await paced.next()
  let before = 0
  await until('nothing more is read', async () => {
    before = read
    await new Promise((resolve) => setTimeout(resolve, 20))
    return read === before
  })
  // One piece is handled, one has been collected, and a chunk or two are in the stream.
  equal(read <= 10, true, `${read} chunks`)
  await paced.return()
  body.destroy()
})

test('a reader that leaves, or takes long with a piece, gives its turn back', async () => {
  let open = 0
  const pace: Pace = async (_bytes, work) => {
    open += 1
    await work()
    open -= 1
  }
  for await (const _ of pacedBody(bodyOf(chunk('a'), chunk('b')), pace)) break
  await until('the turn ended', () => open === 0)
  const slow = pacedBody(bodyOf(chunk('a')), pace)
  await slow.next()
  equal(open, 1)
  await until('the turn ended though nobody asked for more', () => open === 0)
})

test('a body that nobody wants any longer is read to its end', async () => {
  const body = bodyOf(...Array.from({ length: 40 }, () => chunk('a')))
  for await (const _ of pacedBody(body, (_bytes, work) => work())) break
  await until('it has ended', () => body.readableEnded)
})

test('a body that breaks off fails, also after all of it that came was taken', async () => {
  const body = new Readable({ read() {} })
  body.push(chunk('a', 256 * kilobyte))
  const paced = pacedBody(body, (_bytes, work) => work())
  equal((await paced.next()).value?.byteLength, 256 * kilobyte)
  body.destroy(new Error('gone'))
  await rejects(paced.next(), /gone/)
  const cut = new Readable({ read() {} })
  cut.destroy()
  await rejects(pacedBody(cut, (_bytes, work) => work()).next(), /[Pp]remature/)
})

test('a piece that may not even wait fails the body', async () => {
  const full: Pace = () => Promise.reject(new Error('full'))
  await rejects(pacedBody(bodyOf(chunk('a')), full).next(), /full/)
})
