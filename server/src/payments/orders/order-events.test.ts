import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { until } from '../../test/until.ts'
import { openOrderEvents } from './order-events.ts'

/** Streams of orders, whose database announces changes when told to. */
function openEvents(limits = { perAccount: 1000, perAddress: 1000 }) {
  let announce: (id: string | undefined) => void = () => {}
  const listener = {
    on(_channel: string, hear: (payload: string | undefined) => void) {
      announce = hear
      return () => {}
    },
    close: () => Promise.resolve(),
  }
  const events = openOrderEvents(listener, pino({ level: 'silent' }), limits)
  const state = { status: 'pending', reads: 0 }
  const open = (viewer: string, ip: string, id = 'order') => {
    const stream = events.stream({ id, event: 'purchase', viewer, ip }, async () => {
      state.reads += 1
      return { status: state.status }
    })
    if (!stream) return undefined
    let heard = ''
    stream.text.on('data', (chunk) => {
      heard += chunk
    })
    return { text: stream.text, statuses: () => [...heard.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status) }
  }
  return { events, state, open, announce: () => announce('order') }
}

test('all streams of an order share one read, and each gets every change once', async (t) => {
  const { events, state, open, announce } = openEvents()
  t.after(() => events.close())
  const streams = Array.from({ length: 300 }, () => open('account', '192.0.2.1')!)
  await until('the first state', () => streams.every(({ statuses }) => statuses().length === 1))
  ok(state.reads <= 2, `${state.reads} reads`)
  state.status = 'received'
  state.reads = 0
  announce()
  announce()
  await until('the change', () => streams.every(({ statuses }) => statuses().length === 2))
  ok(state.reads <= 2, `${state.reads} reads`)
  // A later client gets the current state immediately.
  const late = open('account', '192.0.2.1')!
  await until('the current state', () => late.statuses().length === 1)
  state.status = 'paid'
  announce()
  await until('the end', () => [...streams, late].every(({ text }) => text.destroyed))
  deepEqual(streams[0]!.statuses(), ['pending', 'received', 'paid'])
  deepEqual(late.statuses(), ['received', 'paid'])
})

test('an account and an address have a number of streams, and get them back', async (t) => {
  const { events, open } = openEvents({ perAccount: 2, perAddress: 3 })
  t.after(() => events.close())
  const first = open('a', '192.0.2.1', 'one')!
  ok(open('a', '192.0.2.1', 'two'))
  equal(open('a', '192.0.2.2', 'three'), undefined)
  ok(open('b', '192.0.2.1', 'four'))
  equal(open('c', '192.0.2.1', 'five'), undefined)
  ok(open('c', '192.0.2.2', 'five'))
  first.text.destroy()
  await until('a free place', () => open('a', '192.0.2.1', 'three') !== undefined)
})
