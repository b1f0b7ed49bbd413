import { deepEqual, rejects, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { unitsOf } from '../amounts.ts'
import { memoryStore } from '../store.ts'
import { SpendingGuard } from './spending-limit.ts'

const cents = (amount: string) => unitsOf('USDC', amount)

test('the total holds across clients with one store, and exactly', async () => {
  const store = memoryStore()
  const limit = { perPayment: { USDC: '0.60' }, total: { USDC: '1' } }
  const guards = [new SpendingGuard(store, limit), new SpendingGuard(store, limit)]
  const tries = Array.from({ length: 20 }, (_, index) => guards[index % 2]!.reserve('USDC', cents('0.15')))
  const outcomes = await Promise.allSettled(tries)
  deepEqual(outcomes.filter(({ status }) => status === 'fulfilled').length, 6)
  deepEqual(await guards[0]!.spent(), { XNO: '0', USDC: '0.9' })
  await guards[1]!.reserve('USDC', cents('0.10'))
  await rejects(guards[0]!.reserve('USDC', '1'), { code: 'spending-limit' })
})

test('a currency without a limit is not spent, and a limit must be an amount', async () => {
  const guard = new SpendingGuard(memoryStore(), { perPayment: { USDC: '1' } })
  await rejects(guard.reserve('XNO', '1'), { code: 'spending-limit', message: /No spending limit for XNO/ })
  await rejects(new SpendingGuard(memoryStore(), undefined).reserve('USDC', '1'), { code: 'spending-limit' })
  throws(() => new SpendingGuard(memoryStore(), { perPayment: { USDC: '1 dollar' } }), RangeError)
  throws(() => new SpendingGuard(memoryStore(), { perPayment: { USDC: '0.0000001' } }), RangeError)
})

test('what was never sent is given back, what is older than the period is forgotten', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 })
  const store = memoryStore()
  const guard = new SpendingGuard(store, { perPayment: { USDC: '1' }, total: { USDC: '1' }, periodSeconds: 3600 })
  const reservation = await guard.reserve('USDC', cents('1'))
  await guard.release(reservation)
  await guard.reserve('USDC', cents('0.40'))
  t.mock.timers.tick(1800_000)
  await guard.reserve('USDC', cents('0.60'))
  t.mock.timers.tick(1790_000)
  await rejects(guard.reserve('USDC', cents('0.01')), { code: 'spending-limit' })
  t.mock.timers.tick(100_000)
  deepEqual(await guard.spent(), { XNO: '0', USDC: '0.6' })
  await guard.reserve('USDC', cents('0.40'))
})
