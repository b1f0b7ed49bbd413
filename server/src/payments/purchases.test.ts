import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { asksToBuy, isClean, openMarket, price, quotes, reads, xno } from './market.fixture.ts'

test('a quote names the exact price and an address of its own; paid, it grants the Post, and the creator has the money', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId } = market
  const { status, body } = await asksToBuy(buyer, postId)
  equal(status, 201)
  const { purchase } = body
  deepEqual(
    [purchase.status, purchase.amount_raw, purchase.quote.amount, purchase.received_raw, purchase.entitlement],
    ['pending', String(price), '0.25', '0', null],
  )
  equal(body.statusUrl, `${market.world.origin}/api/v1/purchases/${purchase.id}`)
  const address = body.ephemeral_address.ephemeral_address
  ok(body.ephemeral_address.uri === `nano:${address}?amount=${price}`)
  await market.pays(address, price)
  await market.look()
  const paid = await reads(buyer, purchase.id)
  deepEqual([paid.status, paid.received_raw, paid.payout.status], ['paid', String(price), 'confirmed'])
  ok(paid.entitlement)
  equal(await market.earnings.receives(), (price * 95n) / 100n)
  await isClean(market)
})

test('parts add up; what is over the price goes back to its sender', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, look } = market
  const { id, address } = await quotes(buyer, postId)
  await pays(address, price / 2n)
  await look()
  deepEqual([(await reads(buyer, id)).status, (await reads(buyer, id)).received_raw], ['pending', String(price / 2n)])
  await isClean(market)
  await pays(address, price)
  await look()
  const paid = await reads(buyer, id)
  deepEqual([paid.status, paid.refunded_raw], ['paid', String(price / 2n)])
  equal(await market.wallet.receives(), price / 2n)
  equal((await market.network.client.accountInfo(market.wallet.address))?.balance, 1000n * xno - price)
  await isClean(market)
})
