import { deepEqual, equal, rejects } from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { type Answer, nameServer } from './name-server.fixture.ts'
import { ForbiddenAddress, resolvePublicAddress, UnknownHost } from './public-address.ts'
import { getFromPublicHost } from './public-request.ts'

const publicV6 = '20010db9000000000000000000000001'
const privateV6 = 'fd000000000000000000000000000001'

const names: Readonly<Record<string, Answer>> = {
  'public.example': { v4: ['93.184.216.34'] },
  'newer.example': { v6: [publicV6] },
  'private.example': { v4: ['10.0.0.1'] },
  'mixed.example': { v4: ['93.184.216.34', '169.254.169.254'] },
  'hidden.example': { v4: ['93.184.216.34'], v6: [privateV6] },
  'mapped.example': { v6: ['00000000000000000000ffff7f000001'] },
}

test('all addresses of a name must be public, of both kinds', async (t) => {
  const { nameServers } = await nameServer(t, (name) => names[name] ?? 'none')
  const resolve = (name: string) => resolvePublicAddress(name, { allowLoopback: false, nameServers })
  equal(await resolve('public.example'), '93.184.216.34')
  equal(await resolve('newer.example'), '2001:db9::1')
  for (const name of [
    'private.example',
    'mixed.example',
    'hidden.example',
    'mapped.example',
    'localhost',
    'a.localhost.',
  ])
    await rejects(resolve(name), ForbiddenAddress, name)
  await rejects(resolve('nobody.example'), UnknownHost)
})

test('a name is resolved once for a request: what it means a moment later changes nothing', async (t) => {
  const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  let address = '127.0.0.1'
  const { asked, nameServers } = await nameServer(t, () => {
    const said = { v4: [address] }
    if (asked.includes('A rebind.example')) address = '10.0.0.1'
    return said
  })
  const get = () =>
    getFromPublicHost(`http://rebind.example:${port}/`, {
      headers: {},
      target: 'webhook',
      maxBytes: 100,
      timeoutMs: 5_000,
      allowLoopback: true,
      nameServers,
    })
  equal((await get()).body.toString(), 'hello')
  deepEqual(asked.toSorted(), ['A rebind.example', 'AAAA rebind.example'])
  await rejects(get(), ForbiddenAddress)
})

test('name servers that never reply do not keep other lookups waiting', async (t) => {
  const { nameServers } = await nameServer(t, () => 'silence')
  const rule = { allowLoopback: false, nameServers }
  let done = 0
  const waiting = Array.from({ length: 50 }, (_, index) =>
    resolvePublicAddress(`silent${index}.example`, rule).finally(() => {
      done += 1
    }),
  )
  const ended = Promise.allSettled(waiting)
  await lookup('localhost')
  equal(done, 0)
  // The name server is closed by then, so they do not wait for the end of their time.
  t.after(() => ended)
})
