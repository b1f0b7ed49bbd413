import { deepEqual, equal, rejects } from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { localCertificate } from './certificate.fixture.ts'
import { ForbiddenAddress, isCallableHost } from './public-address.ts'
import { getFromPublicHost, ReplyTooLarge } from './public-request.ts'

async function documents(t: TestContext) {
  const { key, certificate } = localCertificate()
  const asked: string[] = []
  const server = createServer({ key, cert: certificate }, ({ url = '', headers }, response) => {
    asked.push(`${headers.host}${url}`)
    if (url === '/moved') return void response.writeHead(302, { location: '/small' }).end()
    if (url === '/never') return
    if (url === '/drip') return void response.write('{')
    if (url === '/endless') {
      const more = () => {
        while (response.write('x'.repeat(1024)));
        response.once('drain', more)
      }
      return more()
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(url === '/full' ? 'x'.repeat(100) : '{"a":1}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const origin = `https://localhost:${port}`
  const get = (path: string, options: { allowLoopback?: boolean; timeoutMs?: number; from?: string } = {}) =>
    getFromPublicHost((options.from ?? origin) + path, {
      headers: { accept: 'application/json' },
      target: 'webhook',
      maxBytes: 100,
      timeoutMs: options.timeoutMs ?? 5_000,
      allowLoopback: options.allowLoopback ?? true,
      certificate,
    })
  return { get, asked, port }
}

test('a document is read with its status and headers; redirects are not followed', async (t) => {
  const { get, asked, port } = await documents(t)
  const { status, headers, body } = await get('/small?x=1')
  deepEqual([status, headers['content-type'], body.toString()], [200, 'application/json', '{"a":1}'])
  equal((await get('/full')).body.length, 100)
  deepEqual([(await get('/moved')).status, asked.at(-1)], [302, `localhost:${port}/moved`])
})

test('a reply is read up to its limit in bytes and in time', async (t) => {
  const { get } = await documents(t)
  await rejects(get('/endless'), ReplyTooLarge)
  for (const path of ['/never', '/drip']) await rejects(get(path, { timeoutMs: 100 }))
})

test('private hosts are never called, by address or by name', async (t) => {
  const { get, asked } = await documents(t)
  await rejects(get('/small', { allowLoopback: false }), ForbiddenAddress)
  for (const from of ['https://10.0.0.1', 'https://[fd00::1]', 'https://169.254.169.254', 'https://[::ffff:10.0.0.1]'])
    await rejects(get('/small', { from }), ForbiddenAddress)
  deepEqual(asked, [])
  const callable = (host: string, allowLoopback = false) => isCallableHost(host, { allowLoopback })
  deepEqual(
    await Promise.all([callable('127.0.0.1'), callable('localhost'), callable('localhost', true), callable('[::1]')]),
    [false, false, true, false],
  )
  equal(await callable('8.8.8.8'), true)
  // Checked again before anything is sent.
  equal(await callable('no-such-host.invalid'), true)
})
