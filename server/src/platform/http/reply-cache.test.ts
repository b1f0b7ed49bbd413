import { deepEqual, equal, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { cachedReply, emptyReplyCache } from './reply-cache.ts'

test('a body is made once for each ETag and coding, also for requests at the same moment', async () => {
  const etag = `"${randomUUID()}"`
  let made = 0
  const make = async () => `body ${++made}`
  const plain = await Promise.all([1, 2, 3].map(() => cachedReply('identity', etag, make)))
  deepEqual(plain.map(String), ['body 1', 'body 1', 'body 1'])
  equal(String(await cachedReply('identity', etag, make)), 'body 1')
  equal(String(brotliDecompressSync(await cachedReply('br', etag, make))), 'body 2')
  equal(String(await cachedReply('identity', `"${randomUUID()}"`, make)), 'body 3')
  emptyReplyCache()
  equal(String(await cachedReply('identity', etag, make)), 'body 4')
})

test('a body that could not be made is made the next time', async () => {
  const etag = `"${randomUUID()}"`
  await rejects(
    cachedReply('identity', etag, () => Promise.reject(new Error('the database is away'))),
    /the database is away/,
  )
  equal(String(await cachedReply('identity', etag, () => 'there')), 'there')
})

test('a compressed reply keeps no more memory than it has bytes', async () => {
  for (const coding of ['br', 'gzip'] as const) {
    const reply = await cachedReply(coding, `"${randomUUID()}"`, () => 'a short body')
    equal(reply.buffer.byteLength, reply.length)
  }
})
