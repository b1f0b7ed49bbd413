import { deepEqual, equal, rejects } from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ReplyTooLarge } from './public-request.ts'
import { sendToServer } from './send-to-server.ts'

async function serverFor(t: TestContext) {
  const connections = new Set<unknown>()
  const server = createServer(async (request, response) => {
    connections.add(request.socket)
    if (request.url === '/moved') return void response.writeHead(302, { location: '/echo' }).end()
    if (request.url === '/never') return
    if (request.url === '/upgrade') return void response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end()
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': '100' }).write('{')
      return void setTimeout(() => response.destroy(), 20)
    }
    if (request.url === '/drip') return void response.write('{')
    let body = ''
    for await (const part of request) body += part
    const { a, 'accept-encoding': encoding, 'content-length': length } = request.headers
    response.writeHead(500).end(`${request.method} ${length} ${a} ${encoding} ${body}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const post = (path: string, { maxBytes = 100, signal = AbortSignal.timeout(5_000) } = {}) =>
    sendToServer(origin + path, { method: 'POST', headers: { a: 'b' }, body: 'é', signal, maxBytes })
  return { post, connections }
}

test('a reply is read with its status, whatever it is, and the connection is used again', async (t) => {
  const { post, connections } = await serverFor(t)
  for (let round = 0; round < 3; round += 1)
    deepEqual(await post('/echo'), { status: 500, text: 'POST 2 b identity é' })
  equal(connections.size, 1)
})

test('redirects, upgrades, long replies and replies that are cut off are errors', async (t) => {
  const { post } = await serverFor(t)
  await rejects(post('/moved'), { message: 'unexpected redirect' })
  await rejects(post('/upgrade'), { message: 'unexpected upgrade' })
  await rejects(post('/echo', { maxBytes: 5 }), ReplyTooLarge)
  await rejects(post('/cut'), { code: 'ECONNRESET' })
  equal((await post('/echo')).status, 500)
})

test('a request that is aborted rejects with the reason, before the reply and in the middle of it', async (t) => {
  const { post } = await serverFor(t)
  for (const path of ['/never', '/drip']) {
    await rejects(post(path, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' })
    const reason = new Error('enough')
    await rejects(post(path, { signal: AbortSignal.abort(reason) }), reason)
    const giveUp = new AbortController()
    setTimeout(() => giveUp.abort(reason), 50)
    await rejects(post(path, { signal: giveUp.signal }), reason)
  }
})

test('a server that does not listen: the error has its code, and names it', async () => {
  const options = { method: 'GET', headers: {}, signal: AbortSignal.timeout(5_000), maxBytes: 100 } as const
  // A name may have several addresses.
  for (const host of ['127.0.0.1', 'localhost']) {
    const refused = { code: 'ECONNREFUSED', message: /ECONNREFUSED/ }
    await rejects(sendToServer(`http://${host}:9/`, options), refused)
  }
})
