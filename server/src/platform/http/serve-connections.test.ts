import { deepEqual, match } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { until } from '../../test/until.ts'
import { serveSpecimen } from './specimen.fixture.ts'

test('a client that never closes its side of a bad connection does not keep the socket', async (t) => {
  const { server } = await serveSpecimen(t)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => client.write('NONSENSE\r\n\r\n'))
  t.after(() => client.destroy())
  match(String(await once(client, 'data')), /^HTTP\/1\.1 400 /)
  const count = () => new Promise<number>((resolve) => server.server.getConnections((_error, found) => resolve(found)))
  await until('the socket is freed', async () => (await count()) === 0)
})

test('a connection on which nothing moves ends', { timeout: 20_000 }, async (t) => {
  const { server } = await serveSpecimen(t, { quietConnectionMs: 100 })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const client = connect({ port, host: '127.0.0.1' }, () => client.write('GET /api/nowhere HTTP/1.1\r\n'))
  await once(client.resume(), 'close')
})

test('the server closes though clients keep connections open, used or not', { timeout: 20_000 }, async (t) => {
  const { server } = await serveSpecimen(t)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const [used, unused] = [connect({ port, host: '127.0.0.1' }), connect({ port, host: '127.0.0.1' })]
  await Promise.all([once(used, 'connect'), once(unused, 'connect')])
  used.write('GET /api/nowhere HTTP/1.1\r\nhost: a\r\n\r\n')
  match(String(await once(used, 'data')), /^HTTP\/1\.1 404 /)
  await Promise.all([server.close(), once(used, 'close'), once(unused, 'close')])
})

test('a client that leaves during an upload is no bug', async (t) => {
  const { server, bugs, latency } = await serveSpecimen(t)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const form = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf'
  for (const [line, type, body] of [
    ['POST /api/v1/form', 'multipart/form-data; boundary=x', form],
    ['PUT /part', 'application/octet-stream', 'half'],
  ] as const) {
    const begun = once(server.server, 'request')
    const client = connect({ port, host: '127.0.0.1' })
    const headers = ['host: a', `idempotency-key: ${randomUUID()}`, `content-type: ${type}`, 'content-length: 900']
    client.write([`${line} HTTP/1.1`, ...headers, '', body].join('\r\n'))
    await begun
    client.resetAndDestroy()
  }
  for (const operation of ['uploadForm', 'uploadStream'])
    await until('it is counted', () => latency.text().includes(`{operation="${operation}",status="499"`))
  deepEqual(bugs, [])
})

test('unreadable requests get a reply', async (t) => {
  const { server } = await serveSpecimen(t)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const ask = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      let text = ''
      socket.setTimeout(5_000, () => reject(new Error('no answer')))
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
      socket.on('error', () => resolve(text))
    })
  match(await ask(`GET / HTTP/1.1\r\nhost: x\r\nx-big: ${'a'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /)
  match(await ask('NONSENSE\r\n\r\n'), /^HTTP\/1\.1 400 /)
  match(await ask('GET / HTTP/1.1\r\nconnection: close\r\n\r\n'), /^HTTP\/1\.1 404 .*x-request-id/is)
  match(
    await ask(`GET /api/v1/things/${'a'.repeat(400)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
    /^HTTP\/1\.1 404 .*x-request-id/is,
  )
  match(
    await ask('GET /old HTTP/1.1\r\nhost: x\r\nexpect: the-unknown\r\nconnection: close\r\n\r\n'),
    /^HTTP\/1\.1 30\d .*x-request-id/is,
  )
  match(await ask('GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'), /^HTTP\/1\.1 40[04] /)
  match(
    await ask(
      'PUT /part HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n0\r\n\r\n',
    ),
    /^HTTP\/1\.1 411 /,
  )
})
