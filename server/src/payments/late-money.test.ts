import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { getPurchase, getTip } from '@pennypost/contract/purchases'
import { watchAddresses } from '../rails/nano/custody/watch-addresses.ts'
import { createNodeDouble } from '../test/node-double.ts'
import { isClean, openMarket, price, quotes, reads, tips, xno } from './market.fixture.ts'

// The watcher as it runs: nothing here says when an address is to be looked at.

test('a full late payment still buys, and is noticed without anybody asking', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const watcher = watchAddresses(market.world.services)
  t.after(() => watcher.stop())
  watcher.start()
  const { id, address } = await quotes(market.buyer, market.postId)
  await market.passes(3700)
  // The watcher finds that its time is over.
  await wait(2500)
  await market.pays(address, price)
  const stateOf = async () => {
    const { rows } = await market.world.services.pool.query('SELECT state FROM payment_sessions WHERE id = $1', [id])
    return rows[0].state
  }
  for (let tries = 0; tries < 100 && (await stateOf()) === 'expired'; tries += 1) await wait(100)
  equal(await stateOf(), 'received')
  await market.world.settle()
  await isClean(market)
})

test('whoever asks for a late purchase or tip has its money found, though no event comes', async (t) => {
  const market = await openMarket(t, {
    isBlind: true,
    async node(network) {
      const double = await createNodeDouble(t, network)
      double.events('lost')
      return double
    },
  })
  const { world, buyer, postId } = market
  const watcher = watchAddresses(world.services)
  t.after(() => watcher.stop())
  watcher.start()
  const [purchase, tip] = [await quotes(buyer, postId), await tips(buyer, postId, xno)]
  await market.passes(3700)
  await wait(2500)
  await market.pays(purchase.address, price)
  await market.pays(tip.address, xno)
  const statuses = async () => [
    (await reads(buyer, purchase.id)).status,
    (await buyer.owner.calls(getTip, { params: { sessionId: tip.id } })).body.status,
  ]
  for (let tries = 0; tries < 50 && (await statuses()).includes('expired'); tries += 1) await wait(200)
  deepEqual(await statuses(), ['received', 'received'])
  await world.settle()
  await isClean(market)
})

test('asking all the time has nobody looked for more than every few seconds', async (t) => {
  const market = await openMarket(t)
  const { world, buyer, postId } = market
  const { id } = await quotes(buyer, postId)
  await market.later(3700)
  const params = { purchaseId: id }
  const nextLook = async () => {
    const { rows } = await world.services.pool.query('SELECT next_look_at FROM nano_addresses')
    return rows[0].next_look_at.getTime() - world.services.clock.now().getTime()
  }
  const isDue = async () => (await nextLook()) <= 0
  await buyer.owner.calls(getPurchase, { params })
  equal(await isDue(), false, 'it was looked at just now')
  await world.advance(4)
  await buyer.owner.calls(getPurchase, { params })
  equal(await isDue(), true)
})
