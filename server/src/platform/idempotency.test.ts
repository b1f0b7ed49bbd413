import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { keyIdempotency } from '@pennypost/contract/idempotency'
import { createWorld } from '../test/world.ts'
import { Refused } from './http/refuse.ts'
import { withIdempotencyKey } from './idempotency.ts'

test('fifty requests with one key do the work once and get the same reply', async (t) => {
  const { services } = await createWorld(t)
  const { db, clock } = services
  let worked = 0
  const ask = () =>
    withIdempotencyKey(
      db,
      { flavour: keyIdempotency, scope: 'a', key: 'k', intent: { b: 1, a: [2] }, now: clock.now() },
      async () => {
        worked += 1
        return { status: 201, body: { number: worked } }
      },
    )
  const replies = await Promise.all(Array.from({ length: 50 }, ask))
  equal(worked, 1)
  equal(replies.filter((answer) => !answer.replayed).length, 1)
  for (const { status, body } of replies) deepEqual({ status, body }, { status: 201, body: { number: 1 } })
})

test('the intent depends on the values of fields, not on their order', async (t) => {
  const { services } = await createWorld(t)
  const ask = (intent: unknown) =>
    withIdempotencyKey(
      services.db,
      { flavour: keyIdempotency, scope: 'a', key: 'k', intent, now: services.clock.now() },
      async () => ({ status: 200, body: {} }),
    )
  equal((await ask({ a: 1, b: 2 })).replayed, false)
  equal((await ask({ b: 2, a: 1 })).replayed, true)
  await rejects(
    ask({ a: 1, b: 3 }),
    (error) => error instanceof Refused && error.refusal.code === 'idempotency-conflict',
  )
})

test('work that fails leaves the key free', async (t) => {
  const { services } = await createWorld(t)
  const ask = (fails: boolean) =>
    withIdempotencyKey(
      services.db,
      { flavour: keyIdempotency, scope: 'a', key: 'k', intent: 1, now: services.clock.now() },
      async () => {
        if (fails) throw new Error('no')
        return { status: 200, body: 'done' }
      },
    )
  await rejects(ask(true))
  deepEqual(await ask(false), { status: 200, body: 'done', replayed: false })
})

test('scopes have separate keys; an expired key is deleted', async (t) => {
  const world = await createWorld(t)
  const { db, clock } = world.services
  const ask = (scope: string, key: string | undefined) =>
    withIdempotencyKey(
      db,
      {
        flavour: keyIdempotency,
        scope,
        key,
        intent: 1,
        now: clock.now(),
        expiresAt: new Date(clock.now().getTime() + 60_000),
      },
      async () => ({ status: 200, body: {} }),
    )
  equal((await ask('a', 'k')).replayed, false)
  equal((await ask('b', 'k')).replayed, false)
  equal((await ask('a', 'k')).replayed, true)
  equal((await ask('a', undefined)).replayed, false)
  await world.advance(61)
  equal((await ask('a', 'k')).replayed, false)
})
