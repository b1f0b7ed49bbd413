import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { getPost, updatePost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import { listPurchases } from '@pennypost/contract/purchases'
import { tipThroughX402 } from '@pennypost/contract/x402-tips'
import { isClean, openMarket, price, savesAddress, sells, xno } from '../../payments/market.fixture.ts'
import { watchAddresses } from '../../payments/receive-arrivals.ts'
import { createNanoWallet } from '../../test/nano-wallet.ts'
import type { Person } from '../../test/person.ts'
import { until } from '../../test/until.ts'
import { base64, presents, quoteFor, signature } from './buying.fixture.ts'
import { blockFor, frontierOf, openBehindFaultyNode, order, untilReturned } from './nano-orders.fixture.ts'

test('a quote is good for 300 seconds though the price changes, and for no longer', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator } = market
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  const { body: post } = await creator.publisher.calls(getPost, { params: { postId } })
  const higherPrice = { priceAtomic: String(price * 3n) }
  await creator.publisher.calls(updatePost, {
    params: { postId },
    headers: { 'x-post-revision': post.updatedAt },
    body: higherPrice,
  })
  await world.advance(280)
  equal((await presents(stranger, postId, accepted, payload)).status, 200)
  const late = await order(market, stranger)
  equal(late.accepted.amount, String(price * 3n))
  await world.advance(302)
  const before = await frontierOf(market)
  const refused = await presents(stranger, postId, late.accepted, late.payload)
  equal(refused.status, 200, 'the wallet has it already and is not charged')
  const another = await sells(creator)
  const stale = await order(market, stranger, another)
  await world.advance(302)
  const tooLate = await presents(stranger, another, stale.accepted, stale.payload)
  deepEqual([tooLate.status, tooLate.body.error], [402, 'quote_expired'])
  equal(await frontierOf(market), before)
  await market.later(10)
  await isClean(market)
})

test('a payment that was sent in time and presented late buys for a day, if the Post costs no more now', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator, network } = market
  const [first, second, third] = [world.stranger(), world.stranger(), world.stranger()]
  const sent = async (person: Person) => {
    const { accepted } = await order(market, person)
    const payer = await network.fundedWallet(price)
    const hash = await payer.sends(accepted.payTo, price)
    await network.untilConfirmed(hash)
    return { accepted, payload: { blockHash: hash }, payer }
  }
  const orders = [await sent(first), await sent(second), await sent(third)]
  await world.advance(300 + 23 * 3_600)
  equal((await presents(first, postId, orders[0]!.accepted, orders[0]!.payload)).status, 200)
  const { body: post } = await creator.publisher.calls(getPost, { params: { postId } })
  await creator.publisher.calls(updatePost, {
    params: { postId },
    headers: { 'x-post-revision': post.updatedAt },
    body: { priceAtomic: String(price + 1n) },
  })
  const moreExpensive = await presents(second, postId, orders[1]!.accepted, orders[1]!.payload)
  deepEqual([moreExpensive.status, moreExpensive.body.error], [402, 'quote_expired'])
  await world.advance(3_600)
  const tooLate = await presents(third, postId, orders[2]!.accepted, orders[2]!.payload)
  deepEqual([tooLate.status, tooLate.body.error], [402, 'quote_expired'])
  await market.later(10)
  for (const { payer } of orders.slice(1)) equal(await payer.receives(), price)
  await isClean(market)
})

test('a payment whose amount a pruned node does not know is neither taken nor refused, and buys later', async (t) => {
  const { market, faultyNode } = await openBehindFaultyNode(t)
  const { world, postId } = market
  const stranger = world.stranger()
  const accepted = await quoteFor(stranger, postId)
  const blockHash = await market.pays(accepted.payTo, price)
  const elsewhere = await market.pays(createNanoWallet(market.network).address, price)
  faultyNode.always('block_info', ({ amount: _, ...info }) => info)
  // Someone else's block, however often, is no reason to call the node broken.
  for (let time = 0; time < 5; time += 1)
    equal(
      (await presents(stranger, postId, accepted, { blockHash: elsewhere })).body.error,
      'invalid_exact_nano_payload_receiver',
    )
  equal((await presents(stranger, postId, accepted, { blockHash })).status, 503)
  faultyNode.heal()
  equal((await presents(stranger, postId, accepted, { blockHash })).status, 200)
  await market.later(10)
  await isClean(market)
})

test('a sale goes to the address of the quote, though another one is saved since', async (t) => {
  const market = await openMarket(t)
  const stranger = market.world.stranger()
  const { accepted, payload } = await order(market, stranger)
  await savesAddress(market.creator, createNanoWallet(market.network).address)
  equal((await presents(stranger, market.postId, accepted, payload)).status, 200)
  await market.later(10)
  equal((await market.network.client.receivable(market.earnings.address, 1n)).length, 1)
})

test('a wallet that has the Post is not charged again, and gets back what it sent again', async (t) => {
  const market = await openMarket(t)
  const { world, postId } = market
  const stranger = world.stranger()
  const first = await order(market, stranger)
  equal((await presents(stranger, postId, first.accepted, first.payload)).status, 200)
  const before = await frontierOf(market)
  const second = await order(market, stranger)
  const reply = await presents(stranger, postId, second.accepted, second.payload)
  deepEqual([reply.status, reply.body.access], [200, 'wallet'])
  equal(await frontierOf(market), before)
  const third = await quoteFor(stranger, postId)
  const blockHash = await market.pays(third.payTo, price)
  equal((await presents(stranger, postId, third, { blockHash })).status, 200)
  await market.later(10)
  await untilReturned(market, price)
  await isClean(market)
})

test('money in the wrong amount buys nothing and goes back', async (t) => {
  const market = await openMarket(t)
  const { postId, wallet, network } = market
  const stranger = market.world.stranger()
  for (const amount of [price - 1n, price + 1n]) {
    const accepted = await quoteFor(stranger, postId)
    const blockHash = await market.pays(accepted.payTo, amount)
    const reply = await presents(stranger, postId, accepted, { blockHash })
    deepEqual([reply.status, reply.body.error], [402, 'invalid_exact_nano_payload_amount'])
    await market.later(10)
    ok((await network.client.receivable(wallet.address, 1n)).some((back) => back.amount === amount))
  }
  await isClean(market)
})

test('a quote that was paid in the wrong amount says so, and returns what comes for it, at once', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const { world, postId, wallet, network } = market
  const watcher = watchAddresses(world.services)
  t.after(() => watcher.stop())
  watcher.start()
  const stranger = world.stranger()
  const accepted = await quoteFor(stranger, postId)
  const returned = async (amount: bigint) => {
    await world.runJobs()
    return (await network.client.receivable(wallet.address, 1n)).some((each) => each.amount === amount)
  }
  const wrong = { blockHash: await market.pays(accepted.payTo, price * 2n) }
  equal((await presents(stranger, postId, accepted, wrong)).body.error, 'invalid_exact_nano_payload_amount')
  await until('the wrong amount is returned', () => returned(price * 2n))
  // Nothing but the websocket is waited for.
  await world.services.db
    .updateTable('nano_addresses')
    .set({ next_check_at: new Date('9999-01-01') })
    .execute()
  await world.advance(250)
  const right = { blockHash: await market.pays(accepted.payTo, price) }
  const refused = await presents(stranger, postId, accepted, right)
  deepEqual([refused.status, refused.body.error], [402, 'quote_returns_its_money'])
  await until('the late payment is returned', () => returned(price))
  await isClean(market)
})

test('a withdrawn Post is sold to nobody: a block is not published, what was sent goes back, buyers read on', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator } = market
  const [buyer, late] = [world.stranger(), world.stranger()]
  const first = await order(market, buyer)
  equal((await presents(buyer, postId, first.accepted, first.payload)).status, 200)
  const quoted = await quoteFor(late, postId)
  const signed = await order(market, late)
  const blockHash = await market.pays(quoted.payTo, price)
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  equal((await presents(buyer, postId, first.accepted, first.payload)).status, 200, 'settled same-Post proofs stay')
  equal((await presents(late, postId, signed.accepted, signed.payload)).status, 404)
  equal((await presents(late, postId, quoted, { blockHash })).status, 404)
  await market.later(10)
  await untilReturned(market, price)
  await isClean(market)
})

test('a withdrawn Post has us watch no address that nobody paid to, and nobody asks without end', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator, earnings, network } = market
  const late = world.stranger()
  const [unpaid, published] = [await quoteFor(late, postId), await order(market, late)]
  const elsewhere = await market.pays(earnings.address, xno)
  const tipInput = { params: { postId }, query: { amount_raw: String(xno) } }
  const [tip] = (await late.calls(tipThroughX402, tipInput)).body.accepts
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  const watched = async () =>
    (await world.services.pool.query("SELECT count(*)::int AS n FROM nano_addresses WHERE purpose = 'x402-stray'"))
      .rows[0].n
  for (const blockHash of ['AB'.repeat(32), elsewhere]) {
    equal((await presents(late, postId, unpaid, { blockHash })).status, 404)
    const headers = signature(tip, { blockHash })
    equal((await late.calls(tipThroughX402, { ...tipInput, headers })).status, 404)
  }
  equal(await watched(), 0)
  // A signed block that its owner has published by now is money too.
  const again = await blockFor(market, published.accepted.payTo, price)
  await network.client.process(again)
  equal((await presents(late, postId, published.accepted, { block: again })).status, 404)
  equal(await watched(), 1)
  await market.later(10)
  await untilReturned(market, price)
  const guesses = Array.from({ length: 120 }, () => presents(late, postId, unpaid, { blockHash: 'AB'.repeat(32) }))
  ok((await Promise.all(guesses)).some(({ status }) => status === 429))
  await isClean(market)
})

test('a payment that carries an owner token is of the account too', async (t) => {
  const market = await openMarket(t)
  const { postId, buyer } = market
  const { accepted, payload } = await order(market, buyer.owner)
  const paid = await presents(buyer.owner, postId, accepted, payload)
  deepEqual([paid.status, paid.body.access], [200, 'purchased'])
  const later = await buyer.owner.calls(getAccess, { params: { postId } })
  deepEqual([later.body.access, later.body.entitlement.source], ['purchased', 'x402'])
  equal((await buyer.owner.calls(listPurchases, {})).body.total, 1)
  await market.later(10)
  await isClean(market)
})

test('ten requests with one proof are one payment; one block buys one Post', async (t) => {
  const market = await openMarket(t)
  const { world, postId, network, wallet } = market
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  const replies = await Promise.all(Array.from({ length: 10 }, () => presents(stranger, postId, accepted, payload)))
  deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  const { rows } = await world.services.pool.query('SELECT count(*)::int AS n FROM x402_payments')
  equal(rows[0].n, 1)
  equal((await network.client.accountInfo(wallet.address))!.balance, 1000n * xno - price)
  await market.later(10)
  await isClean(market)
})

test('two blocks on one frontier for two Posts: one is served, the other never was', async (t) => {
  const market = await openMarket(t)
  const { world, postId, network, wallet } = market
  const other = await sells(market.creator)
  const stranger = world.stranger()
  const orders = [await order(market, stranger), await order(market, stranger, other)]
  const replies = await Promise.all([
    presents(stranger, postId, orders[0]!.accepted, orders[0]!.payload),
    presents(stranger, other, orders[1]!.accepted, orders[1]!.payload),
  ])
  deepEqual(replies.map(({ status }) => status).sort(), [200, 402])
  equal((await network.client.accountInfo(wallet.address))!.balance, 1000n * xno - price)
  await market.later(10)
  await isClean(market)
})

test('a name is of one payment, also where only the hash of a block is shown', async (t) => {
  const market = await openMarket(t)
  const { world, creator } = market
  const stranger = world.stranger()
  const extensions = { 'payment-identifier': { info: { required: false, id: 'pay_0123456789abcdef' } } }
  const statuses: number[] = []
  for (const postId of [market.postId, await sells(creator)]) {
    const accepted = await quoteFor(stranger, postId)
    const payload = { blockHash: await market.pays(accepted.payTo, price) }
    const headers = { 'payment-signature': base64({ x402Version: 2, payload, accepted, extensions }) }
    statuses.push((await stranger.calls(getAccess, { params: { postId }, headers })).status)
    equal((await presents(stranger, postId, accepted, payload)).status, 200, 'under no name it is as good')
  }
  deepEqual(statuses, [200, 409])
  await market.later(10)
  await isClean(market)
})
