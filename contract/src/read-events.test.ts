import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { readEvents, type TextEvent } from './read-events.ts'

const streamOf = (chunks: readonly (string | Uint8Array)[], onCancel = () => {}) => {
  const left = [...chunks]
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = left.shift()
      if (chunk === undefined) controller.close()
      else controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk)
    },
    cancel: onCancel,
  })
}

async function heard(chunks: readonly (string | Uint8Array)[]): Promise<TextEvent[]> {
  const all: TextEvent[] = []
  for await (const event of readEvents(streamOf(chunks))) all.push(event)
  return all
}

test('events are read, however the bytes are cut and whatever the lines end with', async () => {
  const text =
    ': hello\n\nevent: tip\r\ndata: {"a":"ü"}\r\n\r\ndata:one\ndata: two\n\nid: 1\rdata\r\r:\n\ndata: unfinished'
  const expected = [
    { event: 'tip', data: '{"a":"ü"}' },
    { event: 'message', data: 'one\ntwo' },
    { event: 'message', data: '' },
  ]
  const bytes = new TextEncoder().encode(text)
  for (const size of [1, 2, 3, 7, 1000]) {
    const chunks: Uint8Array[] = []
    for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.slice(start, start + size))
    deepEqual(await heard(chunks), expected, `${size} bytes at a time`)
  }
})

test('stopping early closes the connection', async () => {
  let isClosed = false
  const stream = streamOf(['data: 1\n\n', 'data: 2\n\n'], () => {
    isClosed = true
  })
  for await (const { data } of readEvents(stream)) {
    equal(data, '1')
    break
  }
  equal(isClosed, true)
})

test('an event that never ends does not fill the memory', async () => {
  const long = 'x'.repeat(100_000)
  await rejects(heard(Array.from({ length: 20 }, () => long)), /too long/)
  await rejects(heard(Array.from({ length: 20 }, () => `data: ${long}\n`)), /too long/)
  equal((await heard(Array.from({ length: 20 }, () => `data: ${long}\n\n`))).length, 20)
})

test('a connection that brings nothing any more is given up, and one that brings comments only is not', async () => {
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  let isClosed = false
  const left = ['data: 1\n\n', ':\n\n', ':\n\n', ':\n\n', 'data: 2\n\n']
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await wait(100)
      const chunk = left.shift()
      // Without one, the connection stays open and brings nothing.
      if (chunk === undefined) await new Promise(() => {})
      else controller.enqueue(new TextEncoder().encode(chunk))
    },
    cancel() {
      isClosed = true
    },
  })
  const all: string[] = []
  const reading = async () => {
    for await (const { data } of readEvents(stream, 300)) all.push(data)
  }
  await rejects(reading, /silent/)
  deepEqual(all, ['1', '2'])
  equal(isClosed, true)
})
