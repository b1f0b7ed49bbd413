import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { cancelPurchase } from '@pennypost/contract/purchases'
import { isClean, openMarket, price, quotes, reads, sells, tips, xno } from './market.fixture.ts'
import { receiveArrivals } from './receive-arrivals.ts'

test('parts that two processes note at the same moment add up', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const { buyer, creator, pays, world, network } = market
  for (let round = 0; round < 8; round += 1) {
    const { id, address } = await quotes(buyer, await sells(creator))
    await pays(address, price / 2n)
    await pays(address, price / 2n + 1n)
    const found = await network.client.receivable(address, 1n)
    equal(found.length, 2)
    await Promise.all(found.map((one) => receiveArrivals(world.services, address, [one])))
    equal((await reads(buyer, id)).status, 'received')
  }
  await world.runJobs()
  await isClean(market)
})

test('two full payments that two processes note at the same moment: one buys, one goes back', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const { buyer, postId, pays, world, network } = market
  for (let round = 0; round < 6; round += 1) {
    const { address } = await tips(buyer, postId, xno)
    for (const amount of [xno, xno + 1n]) await pays(address, amount)
    const found = await network.client.receivable(address, 1n)
    await Promise.all(found.map((one) => receiveArrivals(world.services, address, [one])))
  }
  await world.runJobs()
  const { rows } = await world.services.pool.query('SELECT DISTINCT state FROM orders')
  deepEqual(rows, [{ state: 'paid' }])
  equal(await market.earnings.receives(), 6n * xno)
  await isClean(market)
})

test('the same payment noted by many at once is booked once; a cancellation at that moment loses no money', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const { buyer, creator, pays, world } = market
  for (let round = 0; round < 4; round += 1) {
    const { id, address } = await quotes(buyer, await sells(creator))
    await pays(address, price + xno)
    const note = () => receiveArrivals(world.services, address, undefined)
    const cancel = () => buyer.owner.calls(cancelPurchase, { params: { purchaseId: id } })
    await Promise.all([note(), cancel(), note(), note()])
    await world.runJobs()
    const paid = await reads(buyer, id)
    deepEqual([paid.status, paid.received_raw, paid.refunded_raw], ['paid', String(price + xno), String(xno)])
  }
  await isClean(market)
})

test('two quotes paid at the same moment: the Post is granted once', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const { buyer, creator, pays, world } = market
  for (let round = 0; round < 4; round += 1) {
    const postId = await sells(creator)
    const both = [await quotes(buyer, postId), await quotes(buyer, postId)]
    for (const { address } of both) await pays(address, price)
    await Promise.all(both.map(({ address }) => receiveArrivals(world.services, address, undefined)))
    await world.runJobs()
    const states = await Promise.all(both.map(async ({ id }) => (await reads(buyer, id)).status))
    deepEqual(states.sort(), ['cancelled', 'paid'])
  }
  await isClean(market)
})

test('the database itself refuses what must never happen twice', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses, world } = market
  const { address } = await quotes(buyer, postId)
  await pays(address, price + xno)
  await checkAddresses()
  const again = (table: string, where: string, change: object) =>
    world.services.pool.query(
      `INSERT INTO ${table} OVERRIDING USER VALUE SELECT (jsonb_populate_record(one, $1)).* FROM ${table} one WHERE ${where} LIMIT 1`,
      [JSON.stringify(change)],
    )
  const other = 'AB'.repeat(32)
  const uuid = '00000000-0000-4000-8000-000000000000'
  const nowhere = { height: 90, previous: other }
  const refused: [table: string, where: string, change: object, constraint: RegExp][] = [
    [
      'nano_blocks',
      'height = 1',
      { hash: other, previous: other, arrival_hash: null, send_id: null },
      /check|nano_blocks/,
    ],
    ['nano_blocks', 'height = 2', { hash: other, previous: other }, /nano_blocks_height/],
    ['nano_blocks', 'height = 2', { hash: other, height: 90 }, /nano_blocks_previous/],
    ['nano_blocks', 'arrival_hash IS NOT NULL', { hash: other, ...nowhere }, /nano_blocks_arrival/],
    ['nano_blocks', 'send_id IS NOT NULL', { hash: other, ...nowhere }, /nano_blocks_send/],
    ['nano_arrivals', 'true', {}, /nano_arrivals_pkey/],
    ['nano_sends', 'true', {}, /nano_sends_pkey/],
    ['order_arrivals', 'true', {}, /order_arrivals_pkey/],
    ['payouts', `role = 'creator'`, { id: uuid }, /payouts_of_order/],
    ['payouts', `role = 'house'`, { id: uuid }, /payouts_of_order/],
    ['payouts', `role = 'refund'`, { id: uuid }, /payouts_of_arrival/],
    ['entitlements', 'true', { order_id: null }, /entitlements_pkey/],
    ['ledger_movements', 'true', {}, /ledger_movements_cause_key/],
    ['orders', 'true', { id: uuid }, /orders_address_id_key/],
  ]
  for (const [table, where, change, constraint] of refused) await rejects(again(table, where, change), constraint)
})
