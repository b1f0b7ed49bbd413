import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { getTip } from '@pennypost/contract/tips'
import { isClean, openMarket, tips, xno } from './market.fixture.ts'

test('a tip goes to its author whole; tipping again is another tip; too much goes back', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses } = market
  const [first, second] = [await tips(buyer, postId, xno), await tips(buyer, postId, xno)]
  await pays(first.address, xno)
  await pays(second.address, xno + 7n)
  await checkAddresses()
  for (const { id } of [first, second])
    equal((await buyer.owner.calls(getTip, { params: { sessionId: id } })).body.status, 'paid')
  equal(await market.earnings.receives(), 2n * xno)
  equal(await market.wallet.receives(), 7n)
  const { rows } = await market.world.services.pool.query('SELECT kind, commission_raw FROM orders')
  deepEqual(rows, Array(2).fill({ kind: 'tip', commission_raw: '0' }))
  await isClean(market)
})
