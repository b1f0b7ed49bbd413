import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createConcurrencyLimit } from './concurrency-limit.ts'

/** Requests of several clients, each finished by hand. */
function requestsIn(concurrency: ReturnType<typeof createConcurrencyLimit>) {
  const started: string[] = []
  const rejected: string[] = []
  const gone = new Set<string>()
  const finishers = new Map<string, () => void>()
  return {
    started,
    rejected,
    gone,
    send(name: string, ip = '192.0.2.1', sharedKey?: string) {
      const client = {
        ip,
        sharedKey,
        hasLeft: () => gone.has(name),
        reject: (because: string) => void rejected.push(`${name} ${because}`),
      }
      concurrency.run(client, () => {
        started.push(name)
        return new Promise<void>((resolve, reject) => {
          finishers.set(name, () => (name.startsWith('bad') ? reject(new Error(name)) : resolve()))
        })
      })
    },
    async finish(name: string) {
      finishers.get(name)!()
      await new Promise(setImmediate)
    },
  }
}

test('a client has few requests in progress at a time; the rest wait in order, other clients do not', async () => {
  const { send, finish, started } = requestsIn(createConcurrencyLimit({ ofClient: 2, together: 9, waiting: 9 }))
  for (const name of ['a', 'bad', 'c', 'd']) send(name)
  send('x', '192.0.2.2')
  deepEqual(started, ['a', 'bad', 'x'])
  await finish('bad')
  deepEqual(started, ['a', 'bad', 'x', 'c'])
  await finish('a')
  await finish('c')
  await finish('d')
  for (const name of ['e', 'f', 'g']) send(name)
  deepEqual(started, ['a', 'bad', 'x', 'c', 'd', 'e', 'f'])
})

test('while many are in progress, each client has one; the one that waited longest starts first', async () => {
  const { send, finish, started } = requestsIn(createConcurrencyLimit({ ofClient: 3, together: 2, waiting: 9 }))
  for (const name of ['a1', 'a2', 'a3', 'a4']) send(name)
  for (const name of ['b1', 'b2']) send(name, '192.0.2.2')
  for (const name of ['c1', 'c2']) send(name, '192.0.2.3')
  deepEqual(started, ['a1', 'a2', 'b1', 'c1'])
  await finish('a1')
  deepEqual(started, ['a1', 'a2', 'b1', 'c1'])
  await finish('c1')
  deepEqual(started.slice(4), ['c2'])
  await finish('a2')
  deepEqual(started.slice(4), ['c2', 'a3'])
  await finish('c2')
  await finish('a3')
  deepEqual(started.slice(4), ['c2', 'a3', 'a4'])
  await finish('a4')
  deepEqual(started.slice(4), ['c2', 'a3', 'a4', 'b2'])
})

test('one IPv6 network is one client', () => {
  const { send, started } = requestsIn(createConcurrencyLimit({ ofClient: 1, together: 9, waiting: 9 }))
  send('a', '2001:db8:1:2::1')
  send('b', '2001:db8:1:2::2')
  send('c', '2001:db8:1:3::1')
  deepEqual(started, ['a', 'c'])
})

test('one customer with a /48 does not take all places, and others are served', async () => {
  const concurrency = createConcurrencyLimit({ ofClient: 1, together: 9, waiting: 9, all: { from: 8, to: 8 } })
  const { send, finish, started, rejected } = requestsIn(concurrency)
  for (const name of ['a', 'b', 'c', 'd', 'e']) send(name, `2001:db8:1:${name}::1`)
  deepEqual(rejected, ['e everyone'])
  for (const name of ['x', 'y']) send(name, `2001:db8:2:${name === 'x' ? 1 : 2}::1`)
  send('z', '192.0.2.1')
  deepEqual(started, ['a', 'b', 'c', 'd', 'x', 'y', 'z'])
  for (const name of ['a', 'b', 'c']) await finish(name)
  send('f', '2001:db8:1:f::1')
  deepEqual(started.at(-1), 'f')
})

test('a request whose client left while it waited is not started', async () => {
  const { send, finish, started, gone } = requestsIn(createConcurrencyLimit({ ofClient: 1, together: 9, waiting: 9 }))
  for (const name of ['a', 'b', 'c']) send(name)
  gone.add('b')
  await finish('a')
  deepEqual(started, ['a', 'c'])
  gone.add('d')
  send('d')
  await finish('c')
  send('e')
  deepEqual(started, ['a', 'c', 'e'])
})

test('what waits is bounded', () => {
  const { send, started, rejected } = requestsIn(createConcurrencyLimit({ ofClient: 1, together: 9, waiting: 2 }))
  for (const name of ['a', 'b', 'c', 'd']) send(name)
  deepEqual([started, rejected], [['a'], ['d own']])
  equal(started.length, 1)
})

test('requests that share their work start together and end as one', async () => {
  const { send, finish, started } = requestsIn(createConcurrencyLimit({ ofClient: 1, together: 9, waiting: 99 }))
  send('running')
  send('home 1', undefined, '/')
  send('about', undefined, '/about')
  send('private')
  send('bad home', undefined, '/')
  send('home 3', '192.0.2.2', '/')
  deepEqual(started, ['running', 'home 3'])
  await finish('running')
  deepEqual(started.slice(2), ['home 1', 'bad home'])
  await finish('bad home')
  equal(started.length, 4)
  await finish('home 1')
  deepEqual(started.slice(4), ['about'])
  await finish('about')
  deepEqual(started.slice(5), ['private'])
})

test('at most 32 requests start together', async () => {
  const { send, finish, started } = requestsIn(createConcurrencyLimit({ ofClient: 1, together: 9, waiting: 99 }))
  send('running')
  for (let index = 0; index < 40; index += 1) send(`home ${index}`, undefined, '/')
  await finish('running')
  equal(started.length, 1 + 32)
})

test('when too many clients come at once, new ones are turned away, and those who are served go on', async () => {
  const { send, finish, started, rejected } = requestsIn(
    createConcurrencyLimit({ ofClient: 2, together: 2, waiting: 9, all: { from: 3, to: 3 } }),
  )
  for (const number of [1, 2, 3, 4]) send(`a${number}`, `192.0.2.${number}`)
  deepEqual(started, ['a1', 'a2', 'a3'])
  deepEqual(rejected, ['a4 everyone'])
  send('more', '192.0.2.1')
  equal(rejected.length, 1)
  await finish('a2')
  await finish('a3')
  send('a5', '192.0.2.5')
  equal(rejected.length, 1)
  equal(started.at(-1), 'a5')
})

test('as many clients are served at once as a second is enough for', async () => {
  let now = 0
  const bounds = { ofClient: 2, together: 2, waiting: 9, all: { from: 3, to: 100 } }
  const { send, finish, rejected } = requestsIn(createConcurrencyLimit(bounds, () => now))
  // On a quiet service a hundred may come in the same moment.
  for (let number = 0; number <= 100; number += 1) send(`a${number}`, `192.0.2.${number}`)
  deepEqual(rejected, ['a100 everyone'])
  // Each takes a tenth of a second, so it is learned that ten are enough.
  for (let number = 0; number < 91; number += 1) {
    now += 100
    await finish(`a${number}`)
  }
  for (const number of [1, 2, 3, 4]) send(`b${number}`, `198.51.100.${number}`)
  deepEqual(rejected.slice(1), ['b2 everyone', 'b3 everyone', 'b4 everyone'])
  for (let number = 91; number < 97; number += 1) await finish(`a${number}`)
  send('c', '198.51.100.9')
  equal(rejected.length, 4)
})
