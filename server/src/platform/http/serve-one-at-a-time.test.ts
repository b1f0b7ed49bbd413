import { deepEqual, equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../../test/until.ts'
import { serveOneAtATime } from './serve-one-at-a-time.ts'

async function serve(t: TestContext, listener: RequestListener) {
  const server = createServer(listener)
  serveOneAtATime(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).on('error', () => {})
  t.after(() => {
    socket.destroy()
    server.close()
  })
  await once(socket, 'connect')
  return socket
}

const requests = (count: number) =>
  Array.from({ length: count }, (_, number) => `GET /${number} HTTP/1.1\r\nhost: x\r\n\r\n`).join('')

test('requests that come together are served one after the other, in their order', async (t) => {
  const seen: string[] = []
  let inProgress = 0
  const socket = await serve(t, (request, response) => {
    inProgress += 1
    equal(inProgress, 1)
    seen.push(request.url!)
    setImmediate(() => {
      inProgress -= 1
      response.end(`reply to ${request.url}`)
    })
  })
  let text = ''
  socket.setEncoding('utf8').on('data', (piece) => {
    text += piece
  })
  socket.write(requests(20))
  await until('all replies are there', async () => text.includes('reply to /19'))
  const inOrder = Array.from({ length: 20 }, (_, number) => `/${number}`)
  deepEqual(seen, inOrder)
  deepEqual(
    [...text.matchAll(/reply to (\S+?)(?=HTTP|$)/g)].map(([, path]) => path),
    inOrder,
  )
  // The connection goes on as before.
  socket.write(requests(1))
  await until('another reply is there', async () => seen.length === 21)
})

test('of a client that reads nothing, one reply is made, not all of them', async (t) => {
  let made = 0
  const socket = await serve(t, (_request, response) => {
    made += 1
    response.end(Buffer.alloc(64_000_000))
  })
  socket.pause()
  socket.write(requests(10))
  await until('the first is made', async () => made === 1)
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  equal(made, 1)
})

test('who sends very many is cut off, and nothing of it is served', async (t) => {
  let made = 0
  const socket = await serve(t, () => {
    made += 1
  })
  socket.write(requests(100))
  await once(socket, 'close')
  equal(made, 1)
  ok(socket.destroyed)
})
