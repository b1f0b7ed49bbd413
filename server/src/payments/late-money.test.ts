import { deepEqual, equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { getPurchase } from '@pennypost/contract/purchases'
import { getTip } from '@pennypost/contract/tips'
import type { Listener } from '../platform/database/listener.ts'
import { createFaultyNode } from '../test/faulty-node.ts'
import { until } from '../test/until.ts'
import { isClean, type Market, openMarket, price, quotes, reads, tips, xno } from './market.fixture.ts'
import { watchAddresses } from './receive-arrivals.ts'
import type { PaymentServices } from './services.ts'

// The watcher runs as in production: nothing here sets when an address is checked.

/** Starts a watcher, and records which addresses its websocket subscribes to. */
function startWatcher(t: TestContext, { world }: Market, own: Partial<PaymentServices> = {}) {
  const { services } = world
  const { nano } = services
  const subscribed = new Set<string>()
  const watch = (address: string) => {
    nano.confirmations.watch(address)
    subscribed.add(address)
  }
  const confirmations = { ...nano.confirmations, watch }
  const watcher = watchAddresses({ ...services, nano: { ...nano, confirmations }, ...own })
  t.after(() => watcher.stop())
  watcher.start()
  return subscribed
}

/** The time until the next check of an address: minutes, after the first check since it expired. */
async function msUntilNextCheck({ world }: Market, address: string): Promise<number> {
  const { pool, clock } = world.services
  const { rows } = await pool.query('SELECT next_check_at FROM nano_addresses WHERE address = $1', [address])
  return rows[0].next_check_at.getTime() - clock.now().getTime()
}

const untilFoundExpired = (market: Market, address: string) =>
  until('the watcher checks an expired address', async () => (await msUntilNextCheck(market, address)) > 30_000)

async function stateOf({ world }: Market, purchaseId: string): Promise<string> {
  const { rows } = await world.services.pool.query('SELECT state FROM orders WHERE id = $1', [purchaseId])
  return rows[0].state
}

const untilReceived = (market: Market, purchaseId: string) =>
  until('the late payment is received', async () => (await stateOf(market, purchaseId)) === 'received', {
    // Sooner than the next check, which would find it too.
    withinMs: 25_000,
  })

test('a full late payment still buys, and is noticed without anyone asking', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const subscribed = startWatcher(t, market)
  const { id, address } = await quotes(market.buyer, market.postId)
  await market.passes(3700)
  await untilFoundExpired(market, address)
  await until('the websocket subscribes to the address', () => subscribed.has(address))
  equal(await stateOf(market, id), 'expired')
  await market.pays(address, price)
  await untilReceived(market, id)
  await market.world.runJobs()
  await isClean(market)
})

test('a late payment is noticed though the watcher missed the notification of its address', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  let hear: ((payload: string | undefined) => void) | undefined
  const listener: Listener = {
    on(_channel, callback) {
      hear = callback
      return () => {}
    },
    close: async () => {},
  }
  const before = await quotes(market.buyer, market.postId)
  const subscribed = startWatcher(t, market, { listener })
  await until('the watcher checks', async () => (await msUntilNextCheck(market, before.address)) > 0)
  const { id, address } = await tips(market.buyer, market.postId, xno)
  await market.passes(3700)
  await untilFoundExpired(market, address)
  hear?.(undefined)
  await until('the websocket subscribes to the address', () => subscribed.has(address))
  await market.pays(address, xno)
  await untilReceived(market, id)
  await market.world.runJobs()
  await isClean(market)
})

/** Its node reports no payment by websocket. */
const openMarketWithoutEvents = (t: TestContext) =>
  openMarket(t, {
    isBlind: true,
    async node(network) {
      const faultyNode = await createFaultyNode(t, network)
      faultyNode.events('lost')
      return faultyNode
    },
  })

test('opening a late purchase or tip finds its money, even without an event', async (t) => {
  const market = await openMarketWithoutEvents(t)
  const { world, buyer, postId } = market
  startWatcher(t, market)
  const [purchase, tip] = [await quotes(buyer, postId), await tips(buyer, postId, xno)]
  await market.passes(3700)
  for (const { address } of [purchase, tip]) await untilFoundExpired(market, address)
  await market.pays(purchase.address, price)
  await market.pays(tip.address, xno)
  const statuses = async () => [
    (await reads(buyer, purchase.id)).status,
    (await buyer.owner.calls(getTip, { params: { sessionId: tip.id } })).body.status,
  ]
  await until('both are received', async () => !(await statuses()).includes('expired'), { everyMs: 200 })
  deepEqual(await statuses(), ['received', 'received'])
  await world.runJobs()
  await isClean(market)
})

test('a paid address is checked rarely, and one that expired long ago only on request', async (t) => {
  const market = await openMarketWithoutEvents(t)
  const { world, buyer, postId } = market
  startWatcher(t, market)
  const [paid, unpaid] = [await quotes(buyer, postId), await tips(buyer, postId, xno)]
  await market.pays(paid.address, price)
  await untilReceived(market, paid.id)
  await world.runJobs()
  await until('the paid address is not due for an hour', async () => {
    await world.advance(30)
    return (await msUntilNextCheck(market, paid.address)) > 3_000_000
  })

  await market.passes(32 * 86_400)
  const isClosed = async () => {
    const { rows } = await world.services.pool.query('SELECT FROM nano_addresses WHERE next_check_at IS NULL')
    return rows.length === 2
  }
  await until('both are no longer checked', isClosed)
  await market.pays(unpaid.address, xno)
  const tip = async () => (await buyer.owner.calls(getTip, { params: { sessionId: unpaid.id } })).body
  equal((await tip()).received_raw, '0')
  // That was the request.
  await until('the money is found', async () => (await tip()).refunded_raw === String(xno))
  await until('it is closed again', isClosed)
  await world.runJobs()
  await isClean(market)
})

test('frequent requests have an address checked every few seconds at most', async (t) => {
  const market = await openMarket(t)
  const { world, buyer, postId } = market
  const { id } = await quotes(buyer, postId)
  await market.later(3700)
  const params = { purchaseId: id }
  const nextLook = async () => {
    const { rows } = await world.services.pool.query('SELECT next_check_at FROM nano_addresses')
    return rows[0].next_check_at.getTime() - world.services.clock.now().getTime()
  }
  const isDue = async () => (await nextLook()) <= 0
  await buyer.owner.calls(getPurchase, { params })
  equal(await isDue(), false, 'it was just checked')
  await world.advance(4)
  await buyer.owner.calls(getPurchase, { params })
  equal(await isDue(), true)
})
