import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { Agent, type RequestOptions, request } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { QueueFull } from '../fair-queue.ts'
import { json, post, serveSpecimen } from './specimen.fixture.ts'

const formOf = (parts: string[], boundary = 'x') =>
  Buffer.from(`${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`)
const filePart = (field: string, text: string) =>
  `content-disposition: form-data; name="${field}"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\n${text}`
const fieldPart = (field: string, text: string) => `content-disposition: form-data; name="${field}"\r\n\r\n${text}`

test('a form has exactly one file; anything else is refused and leaves no files', async (t) => {
  const { server, folder, bugs } = await serveSpecimen(t)
  const sendForm = (payload: Buffer, type = 'multipart/form-data; boundary=x') =>
    json(server, post('/api/v1/form', payload, { 'content-type': type }))
  const good = await sendForm(formOf([filePart('file', 'hello'), fieldPart('intent', 'b')]))
  equal(good.status, 200, good.text)
  equal(good.body.text, 'hello')
  equal(good.body.intent, 'b')
  const cases: [string, Buffer, number][] = [
    ['no file', formOf([fieldPart('intent', 'a')]), 422],
    ['two files', formOf([filePart('file', 'a'), filePart('file', 'b')]), 422],
    ['another field', formOf([filePart('other', 'a')]), 422],
    ['an unknown field', formOf([filePart('file', 'a'), fieldPart('more', 'a')]), 422],
    ['a repeated field', formOf([filePart('file', 'a'), fieldPart('intent', 'a'), fieldPart('intent', 'b')]), 422],
    ['a wrong value', formOf([filePart('file', 'a'), fieldPart('intent', 'z')]), 422],
    ['__proto__', formOf([filePart('file', 'a'), fieldPart('__proto__', 'z')]), 422],
    [
      'a thousand parts',
      formOf([filePart('file', 'a'), ...Array.from({ length: 1000 }, (_, index) => fieldPart(`f${index}`, 'a'))]),
      422,
    ],
    ['too large a file', formOf([filePart('file', 'a'.repeat(1_000_001))]), 413],
    ['cut off', formOf([filePart('file', 'hello')]).subarray(0, 80), 422],
    ['no form at all', Buffer.from('hello'), 422],
  ]
  for (const [what, payload, status] of cases) equal((await sendForm(payload)).status, status, what)
  equal((await sendForm(Buffer.from('{}'), 'application/json')).status, 415)
  deepEqual(await readdir(folder), [])
  deepEqual(bugs, [])
})

test('a form that ends early is refused wherever it ends, also beyond its limits', async (t) => {
  const { server, bugs } = await serveSpecimen(t)
  const parts = [...Array.from({ length: 12 }, (_, index) => fieldPart(`f${index}`, 'a')), filePart('file', 'a')]
  const nameless = Buffer.from('--x\r\ncontent-type: text/plain\r\n\r\na\r\n')
  for (const form of [formOf(parts), formOf([...parts.slice(-1), ...parts.slice(-1)])])
    for (const payload of [form, Buffer.concat([nameless, form])])
      for (let end = 0; end < payload.length - 4; end += 11) {
        const request = post('/api/v1/form', payload.subarray(0, end), {
          'content-type': 'multipart/form-data; boundary=x',
        })
        equal((await json(server, request)).status, 422, `${end} bytes`)
      }
  deepEqual(bugs, [])
})

/** Sends requests one after the other on the same connection. Each returns its status. */
async function sendOnOneConnection(t: TestContext, server: FastifyInstance) {
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  return (options: RequestOptions, body?: Buffer) =>
    new Promise<number>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', agent, timeout: 5000, ...options }, (reply) => {
        reply.resume().on('end', () => resolve(reply.statusCode!))
      })
      sent.on('timeout', () => sent.destroy(new Error('no reply')))
      sent.on('error', reject).end(body)
    })
}

test('after a refused form its connection takes the next request', async (t) => {
  const { server } = await serveSpecimen(t)
  const send = await sendOnOneConnection(t, server)
  const large = filePart('file', 'a'.repeat(900_000))
  const forms: [string, Buffer][] = [
    ['too many fields', formOf([...Array.from({ length: 12 }, (_, index) => fieldPart(`f${index}`, 'a')), large])],
    ['an unknown file field', formOf([filePart('other', 'a'.repeat(900_000))])],
    ['two files', formOf([filePart('file', 'a'), large])],
    ['a repeated field', formOf([fieldPart('intent', 'a'), fieldPart('intent', 'b'), large])],
    ['a forbidden name', formOf([fieldPart('__proto__', 'a'), large])],
    ['too long a field', formOf([fieldPart('intent', 'a'.repeat(20_000)), large])],
    ['too large a file', formOf([filePart('file', 'a'.repeat(1_400_000)), fieldPart('intent', 'a')])],
  ]
  for (const [what, form] of forms) {
    const headers = {
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': form.length,
      'idempotency-key': 'k1',
    }
    ok([413, 422].includes(await send({ method: 'POST', path: '/api/v1/form', headers }, form)), what)
    equal(await send({ path: '/old' }), 302, `after ${what}`)
  }
})

test('a stream that is refused in the middle gets its reply, and its connection takes the next request', async (t) => {
  const { server } = await serveSpecimen(t, { uploadsGiveWay: () => Promise.reject(new QueueFull(true)) })
  const send = await sendOnOneConnection(t, server)
  const headers = { 'content-type': 'application/octet-stream', 'content-length': 1000 }
  equal(await send({ method: 'PUT', path: '/part', headers }, Buffer.alloc(1000)), 503)
  equal(await send({ path: '/old' }), 302)
})

test('a stream needs a Content-Length within its limit', async (t) => {
  const { server } = await serveSpecimen(t)
  const put = (payload: Buffer, headers: Record<string, string> = {}) =>
    json(server, {
      method: 'PUT',
      url: '/part',
      payload,
      headers: { 'content-type': 'application/octet-stream', ...headers },
    })
  equal((await put(Buffer.alloc(1000))).body.size, 1000)
  equal((await put(Buffer.alloc(1001))).status, 413)
  equal((await put(Buffer.alloc(1), { 'content-type': 'application/json' })).status, 415)
})

test('the file of a form and a stream give way piece by piece, and are refused where too much waits', async (t) => {
  const pieces: [string, number, string][] = []
  let isFull = false
  const { server } = await serveSpecimen(t, {
    async uploadsGiveWay(owner, bytes, work, group) {
      pieces.push([owner, bytes, group])
      if (isFull) throw new QueueFull(true)
      await work()
    },
  })
  const stream = post('/part', Buffer.alloc(900), { 'content-type': 'application/octet-stream' })
  const uploads: InjectOptions[] = [
    post('/api/v1/form', formOf([filePart('file', 'hello')]), { 'content-type': 'multipart/form-data; boundary=x' }),
    { ...stream, method: 'PUT' },
  ]
  for (const [upload, bytes] of [
    [uploads[0]!, 5],
    [uploads[1]!, 900],
  ] as const) {
    const remoteAddress = '192.0.2.9'
    equal((await json(server, { ...upload, remoteAddress })).status, 200)
    deepEqual(pieces.splice(0), [[remoteAddress, bytes, remoteAddress]])
    // The networks of one IPv6 customer have their turns together.
    equal((await json(server, { ...upload, remoteAddress: '2001:db8:7:1::1' })).status, 200)
    deepEqual(pieces.splice(0), [['2001:db8:7:1::/64', bytes, '2001:db8:7::/48']])
    isFull = true
    const refused = await json(server, { ...upload, remoteAddress })
    deepEqual([refused.status, refused.body.code], [503, 'temporarily-unavailable'])
    isFull = false
    pieces.length = 0
  }
})

test('whoever finds the queue full of the requests of others is not told that they are their own', async (t) => {
  let isOwn = true
  const { server } = await serveSpecimen(t, { uploadsGiveWay: () => Promise.reject(new QueueFull(isOwn)) })
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const detail = async () => {
    const { status, body } = await json(server, post('/api/v1/form', formOf([filePart('file', 'hello')]), headers))
    equal(status, 503)
    return body.detail
  }
  match(await detail(), /Too many of your requests/)
  isOwn = false
  match(await detail(), /more requests than it can serve/)
})

test('an upload for which there is no room gets 503, and not an internal error', async (t) => {
  const { server } = await serveSpecimen(t, { uploadsGiveWay: () => writeFile('/dev/full', 'a byte') })
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const refused = await json(server, post('/api/v1/form', formOf([filePart('file', 'hello')]), headers))
  deepEqual([refused.status, refused.body.code], [503, 'temporarily-unavailable'])
})
