import { deepEqual, equal, rejects } from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { until } from '../../test/until.ts'
import { begun, post, presence, releases, serveSpecimen, thing, untilReleased } from './specimen.fixture.ts'

const slowRead = (server: FastifyInstance, name: string, options: InjectOptions = {}) =>
  server.inject({ url: `/api/v1/slow?name=${name}`, remoteAddress: '192.0.2.1', ...options })

const paidRead = (server: FastifyInstance, name: string, options: InjectOptions = {}) =>
  server.inject({
    url: '/api/v1/sold',
    query: { name },
    remoteAddress: '192.0.2.1',
    headers: { 'payment-signature': 'x' },
    ...options,
  })

async function release(names: readonly string[]) {
  for (const name of names) {
    await until(`${name} was begun`, () => releases.has(name))
    releases.get(name)!()
    releases.delete(name)
  }
}

test('four reads of one address are in progress; its further ones wait, and those of others and payments do not', async (t) => {
  const { server } = await serveSpecimen(t)
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  // The header of a payment changes nothing where nothing is sold.
  const optionsOf = (at: number): InjectOptions =>
    at === 1 ? { method: 'HEAD' } : { method: 'GET', headers: at > 3 ? { 'payment-signature': 'x' } : {} }
  const own = names.map((name, at) => slowRead(server, name, optionsOf(at)))
  const paid = paidRead(server, 'paid')
  const other = slowRead(server, 'other', { remoteAddress: '192.0.2.2' })
  await until('six were begun', () => begun.length === 6)
  deepEqual(begun, ['a', 'b', 'c', 'd', 'paid', 'other'])
  await release(['a'])
  await until('the next was begun', () => begun.includes('e'))
  await release(['b', 'c', 'd', 'e', 'f', 'paid', 'other'])
  for (const reply of await Promise.all([...own, paid, other])) equal(reply.statusCode, 200)
})

test('eight payments of one address are in progress; its further ones wait', async (t) => {
  const { server } = await serveSpecimen(t)
  const names = Array.from({ length: 10 }, (_, at) => `paid ${at}`)
  const own = names.map((name) => paidRead(server, name))
  const other = paidRead(server, 'other', { remoteAddress: '192.0.2.2' })
  await until('nine were begun', () => begun.length === 9)
  deepEqual(begun, [...names.slice(0, 8), 'other'])
  await release([...names, 'other'])
  for (const reply of await Promise.all([...own, other])) equal(reply.statusCode, 200)
})

test('requests for pages that are nowhere wait for each other too', async (t) => {
  const findRedirect = async (path: string) => {
    await untilReleased(path)
    return path === '/moved' ? '/there' : undefined
  }
  const { server } = await serveSpecimen(t, { findRedirect })
  const paths = ['/moved', '/b', '/c', '/d', '/e']
  const own = paths.map((url) => server.inject({ url, remoteAddress: '192.0.2.1' }))
  await until('four were begun', () => begun.length === 4)
  equal((await server.inject({ url: '/api/v1/shared', remoteAddress: '192.0.2.2' })).statusCode, 200)
  equal(begun.includes('/e'), false)
  await release(paths)
  const replies = await Promise.all(own)
  deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [301, 404, 404, 404, 404],
  )
  equal(replies[0]!.headers.location, '/there')
})

test('reads of one URL that shares its work start together when their turn comes', async (t) => {
  const { server } = await serveSpecimen(t)
  const slow = ['a', 'b', 'c', 'd']
  const replies = slow.map((name) => slowRead(server, name))
  await until('all places are taken', () => begun.length === 4)
  for (const path of ['shared', 'shared?gift=1', 'shared', 'shared?gift=1', 'shared'])
    replies.push(server.inject({ url: `/api/v1/${path}`, remoteAddress: '192.0.2.1' }))
  // Another client's request, sent after them, is served immediately: so they are waiting.
  await server.inject({ url: '/api/v1/shared?gift=other', remoteAddress: '192.0.2.2' })
  await release(slow.slice(0, 1))
  await until('the others were begun', () => begun.length === 10)
  deepEqual(begun.slice(4), ['other', 'shared', 'shared', 'shared', '1', '1'])
  await release(slow.slice(1))
  for (const reply of await Promise.all(replies)) equal(reply.statusCode, 200)
})

test('a handler can ask whether its client has left', async (t) => {
  const { server } = await serveSpecimen(t)
  const origin = await server.listen()
  const leaving = new AbortController()
  const reply = fetch(`${origin}/api/v1/slow?name=leaving`, { signal: leaving.signal })
  await until('it was begun', () => presence.has('leaving'))
  equal(presence.get('leaving')!(), false)
  leaving.abort()
  await rejects(reply)
  await until('it is seen to have left', () => presence.get('leaving')!())
  await release(['leaving'])
})

test('of one address a thousand reads wait; a further one is asked to come back', async (t) => {
  const { server, bugs } = await serveSpecimen(t)
  const names = Array.from({ length: 1004 }, (_, at) => `n${at}`)
  const own = names.map((name) => slowRead(server, name))
  await until('four were begun', () => begun.length === 4)
  const reply = await slowRead(server, 'more')
  deepEqual([reply.statusCode, reply.headers['retry-after'], reply.json().code], [503, '1', 'temporarily-unavailable'])
  await release(names)
  for (const each of await Promise.all(own)) equal(each.statusCode, 200)
  deepEqual(bugs, [])
})

test('an open event stream is not a read in progress', async (t) => {
  const { server } = await serveSpecimen(t)
  const origin = await server.listen()
  const streams = await Promise.all(Array.from({ length: 6 }, () => fetch(`${origin}/api/v1/watched`)))
  equal((await fetch(`${origin}/api/v1/things/${thing}`)).status, 200)
  for (const stream of streams) await stream.body!.cancel()
})

test('the many networks of one IPv6 customer have one turn among the others who write', async (t) => {
  const { server } = await serveSpecimen(t)
  const replies: Promise<{ readonly statusCode: number }>[] = []
  const send = (name: string, remoteAddress: string) =>
    replies.push(
      server.inject({ ...post('/api/v1/notes', JSON.stringify({ name })), remoteAddress }).then((reply) => reply),
    )
  const places = Array.from({ length: Math.max(2, availableParallelism()) }, (_, at) => `v6 ${at}`)
  for (const [at, name] of places.entries()) send(name, `2001:db8:7:${at + 1}::1`)
  await until('all places are taken', () => begun.length === places.length)
  send('v6 last', '2001:db8:7:ffff::1')
  // Another client's request, sent after it, is served immediately: so it is waiting.
  await server.inject({ url: '/api/v1/shared', remoteAddress: '192.0.2.2' })
  send('v4', '192.0.2.1')
  await server.inject({ url: '/api/v1/shared', remoteAddress: '192.0.2.2' })
  begun.length = 0
  await release(places.slice(0, 1))
  await until('the next one has begun', () => begun.length > 0)
  deepEqual(begun, ['v4'])
  await release([...places.slice(1), 'v4', 'v6 last'])
  for (const reply of await Promise.all(replies)) equal(reply.statusCode, 200)
})

test('writes that give way wait for one another: one of a client at a time, and 503 if too much waits', async (t) => {
  const { server } = await serveSpecimen(t)
  const send = (name: string, remoteAddress = '192.0.2.7') =>
    server.inject({ ...post('/api/v1/notes', JSON.stringify({ name })), remoteAddress })
  const first = send('first note')
  await until('the write has begun', () => begun.includes('first note'))
  // Five megabytes each: three may wait, whichever come first.
  const waiting = ['wait 1', 'wait 2', 'wait 3', 'wait 4'].map((name) => send(name.padEnd(5_000_000)))
  const refused = await Promise.race(waiting)
  deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '1'])
  // Another client does not wait for them.
  const other = send('other note', '192.0.2.8')
  await until('the other write has begun', () => begun.includes('other note'))
  const begunOfWaiting = () => begun.filter((name) => name.startsWith('wait'))
  deepEqual(begunOfWaiting(), [])
  releases.get('other note')!()
  releases.get('first note')!()
  for (const count of [1, 2, 3]) {
    await until('the next one has begun', () => begunOfWaiting().length === count)
    releases.get(begunOfWaiting().at(-1)!)!()
  }
  const statuses = (await Promise.all([first, other, ...waiting])).map(({ statusCode }) => statusCode)
  deepEqual(statuses.toSorted(), [200, 200, 200, 200, 200, 503])
})
