import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

/** Requests of several clients, each finished by hand. */
function requestsIn(turns: ReturnType<typeof createTurns>) {
  const started: string[] = []
  const rejected: string[] = []
  const gone = new Set<string>()
  const finishers = new Map<string, () => void>()
  return {
    started,
    rejected,
    gone,
    send(name: string, ip = '192.0.2.1') {
      const client = { ip, hasLeft: () => gone.has(name), reject: () => void rejected.push(name) }
      turns.take(client, () => {
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

test('a client has so many requests in progress; the others wait in order, and other clients do not', async () => {
  const { send, finish, started } = requestsIn(createTurns(2))
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

test('one IPv6 network is one client', () => {
  const { send, started } = requestsIn(createTurns(1))
  send('a', '2001:db8:1:2::1')
  send('b', '2001:db8:1:2::2')
  send('c', '2001:db8:1:3::1')
  deepEqual(started, ['a', 'c'])
})

test('a request whose client left while it waited is not started', async () => {
  const { send, finish, started, gone } = requestsIn(createTurns(1))
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
  const { send, started, rejected } = requestsIn(createTurns(1, 2))
  for (const name of ['a', 'b', 'c', 'd']) send(name)
  deepEqual([started, rejected], [['a'], ['d']])
  equal(started.length, 1)
})
