import { deepEqual, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../../test/until.ts'
import { serveSpecimen } from './specimen.fixture.ts'

async function portOf(t: TestContext, given: Parameters<typeof serveSpecimen>[1] = {}) {
  const { server } = await serveSpecimen(t, given)
  await server.listen({ host: '127.0.0.1', port: 0 })
  return (server.server.address() as { port: number }).port
}

/** In a process of its own: in ours, no client sends while we reply. Prints the statuses, or what went wrong instead. */
const client = `
const [origin, requests] = process.argv.slice(1)
const large = Buffer.alloc(7_000_000, 'a')
async function* pieces() { for (let from = 0; from < large.length; from += 100_000) yield large.subarray(from, from + 100_000) }
const found = []
for (const { path, isStreamed, method, headers } of JSON.parse(requests)) {
  const body = isStreamed ? { body: ReadableStream.from(pieces()), duplex: 'half' } : { body: large }
  const reply = await fetch(origin + path, { method, headers, ...body }).catch((error) => error)
  found.push(reply instanceof Error ? String(reply.cause ?? reply) : (await reply.json()).status)
}
console.log(JSON.stringify(found))`

test('an ordinary client reads why its large body was refused', async (t) => {
  const port = await portOf(t)
  const json = { 'content-type': 'application/json' }
  const bytes = { 'content-type': 'application/octet-stream' }
  const things = { path: '/api/v1/things', method: 'POST', headers: json }
  const refused: [status: number, request: object][] = [
    [413, things],
    [413, { ...things, isStreamed: true }],
    [413, { path: '/part', method: 'PUT', headers: bytes }],
    [404, { path: '/api/v1/nowhere', method: 'POST', headers: json }],
    [405, { path: '/api/v1/owned', method: 'POST', headers: json }],
    // As behind proxies that open a connection for each request.
    [413, { ...things, headers: { ...json, connection: 'close' } }],
  ]
  // Again and again, because what a client sees depends on who is faster.
  const all = Array.from({ length: 5 }, () => refused).flat()
  const requests = JSON.stringify(all.map(([, request]) => request))
  const node = promisify(execFile)(process.execPath, ['-e', client, `http://127.0.0.1:${port}`, requests])
  deepEqual(
    JSON.parse((await node).stdout),
    all.map(([status]) => status),
  )
})

const closed = (socket: Socket) => new Promise((resolve) => socket.on('error', () => {}).once('close', resolve))

const head = 'POST /api/v1/things HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'

/** Sends for as long as it can, reading nothing. Returns how many bytes the server took. */
async function sendsForever(port: number, length: string, piece: string): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  const megabyte = Buffer.from(piece.repeat(Math.floor(1_000_000 / piece.length)))
  const send = () => {
    while (!socket.destroyed && socket.write(megabyte));
  }
  socket.on('drain', send).write(`${head}${length}\r\n\r\n`)
  send()
  await closed(socket)
  return socket.bytesWritten
}

test('a client that never stops sending a refused body is cut off', { timeout: 20_000 }, async (t) => {
  const port = await portOf(t)
  // In small chunks whose lengths are written long, almost nothing of what is sent is the body itself.
  for (const [length, piece] of [
    ['content-length: 1000000000000', 'a'],
    ['transfer-encoding: chunked', `${'0'.repeat(90)}1\r\na\r\n`],
  ] as const) {
    const taken = await sendsForever(port, length, piece)
    ok(taken > 10_000_000 && taken < 60_000_000, `${length}: ${taken} bytes`)
  }
})

test('a refused body that turns out to be unreadable gets no second reply', { timeout: 20_000 }, async (t) => {
  const socket = connect(await portOf(t), '127.0.0.1')
  let replies = ''
  socket.setEncoding('utf8').on('data', (text) => {
    replies += text
  })
  socket.write('POST /api/v1/nowhere HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n')
  await until('it is refused', () => replies.endsWith('}'))
  socket.write('no chunk\r\n')
  await closed(socket)
  deepEqual(replies.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 404'])
})

test('a client that sends the rest of a refused body slowly, or not at all, is cut off', {
  timeout: 20_000,
}, async (t) => {
  const port = await portOf(t, { lingerMs: 300 })
  const socket = connect(port, '127.0.0.1')
  let reply = ''
  socket.on('data', (chunk) => {
    reply += chunk
  })
  socket.write(`${head}content-length: 7000000\r\n\r\n`)
  const trickle = setInterval(() => socket.write('a'), 50)
  t.after(() => clearInterval(trickle))
  await closed(socket)
  ok(reply.startsWith('HTTP/1.1 413 '), reply)
})
