import { equal, rejects } from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test } from 'node:test'
import { testLog } from '../test/nano-network.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { NodeUnreachable } from './node-errors.ts'

const open = { message: /circuit breaker is open/ }

function setUp() {
  let nowMs = 0
  const breaker = createCircuitBreaker('the node', { clock: { now: () => new Date(nowMs) }, log: testLog })
  /** A call that ends when the test says so. */
  function start() {
    const reply = new EventEmitter()
    const call = breaker.run('call', () => once(reply, 'reply'))
    return {
      async succeed() {
        reply.emit('reply')
        await call
      },
      async fail() {
        reply.emit('error', new NodeUnreachable('no answer', true))
        await rejects(call, { message: 'no answer' })
      },
    }
  }
  const wait = (ms: number) => {
    nowMs += ms
  }
  return { breaker, start, wait }
}

test('calls that started before it opened do not open it again when they fail later', async () => {
  const { breaker, start, wait } = setUp()
  const calls = Array.from({ length: 7 }, start)
  for (const call of calls.slice(0, 3)) await call.fail()
  equal(breaker.isOpen(), true)
  wait(10_000)
  for (const call of calls.slice(3)) await call.fail()
  equal(breaker.isOpen(), false)
  await start().succeed()
})

test('a call that succeeds closes it, also if it started before', async () => {
  const { breaker, start } = setUp()
  const early = start()
  for (const call of [start(), start(), start()]) await call.fail()
  equal(breaker.isOpen(), true)
  await early.succeed()
  equal(breaker.isOpen(), false)
})

test('while one call tries the node, others are rejected, whatever ends meanwhile', async () => {
  const { breaker, start, wait } = setUp()
  const calls = Array.from({ length: 4 }, start)
  for (const call of calls.slice(0, 3)) await call.fail()
  wait(10_000)
  const probe = start()
  await calls[3]!.fail()
  await rejects(
    breaker.run('call', async () => undefined),
    open,
  )
  await probe.fail()
  await rejects(
    breaker.run('call', async () => undefined),
    open,
  )
  wait(10_000)
  await start().succeed()
  await breaker.run('call', async () => undefined)
})
