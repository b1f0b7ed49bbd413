import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../../test/until.ts'
import { limitConnections } from './connection-limit.ts'

async function serve(t: TestContext, trustProxy: readonly string[] = []) {
  const server = createServer((_request, response) => response.end('hello'))
  limitConnections(server, { max: 3, trustProxy })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return async (localAddress = '127.0.0.1') => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress })
    sockets.push(socket.on('error', () => {}))
    await once(socket, 'connect')
    return socket
  }
}

test('the connections of one client are limited; a closed one makes room, and other clients have their own limit', async (t) => {
  const open = await serve(t)
  const first = await Promise.all([open(), open(), open()])
  await once(await open(), 'close')
  const other = await open('127.0.0.2')
  other.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  equal(String(await once(other, 'data')).slice(0, 15), 'HTTP/1.1 200 OK')
  first[0]!.destroy()
  await until('there is room again', async () => {
    const next = await open()
    next.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    return Promise.race([once(next, 'data').then(() => true), once(next, 'close').then(() => false)])
  })
})

test('proxies may open any number, however they are listed', async (t) => {
  for (const listed of ['loopback', '127.0.0.1', '127.0.0.0/8']) {
    const open = await serve(t, ['10.0.0.0/8', '::1', listed])
    const sockets = await Promise.all(Array.from({ length: 5 }, () => open()))
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    const replies = await Promise.all(sockets.map((socket) => once(socket, 'data')))
    deepEqual(
      replies.map((reply) => String(reply).slice(9, 12)),
      Array(5).fill('200'),
      listed,
    )
  }
})
