import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getPost, updatePost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import { cancelPurchase, claimPurchase, listPurchases } from '@pennypost/contract/purchases'
import { links, signingWallet } from '../accounts/wallets/wallets.fixture.ts'
import { grant } from './entitlements/entitlement-store.ts'
import {
  asksToBuy,
  isClean,
  type Market,
  openMarket,
  price,
  quotes,
  reads,
  savesAddress,
  sells,
  signsIn,
  tips,
  xno,
} from './market.fixture.ts'
import { closeForgottenOrders } from './orders/close-forgotten-orders.job.ts'
import { closeKey } from './orders/order-lifecycle.job.ts'

const net = (price * 95n) / 100n

test('a quote names the exact price and its own address; once paid, it grants the post, and the creator has the money', async (t) => {
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
  equal(Date.parse(body.expiry) - Date.parse(purchase.created_at), 3_600_000)
  const address = body.ephemeral_address.ephemeral_address
  equal(body.ephemeral_address.uri, `nano:${address}?amount=${price}&label=Pennypost&message=On%20engines`)
  await market.pays(address, price)
  await market.checkAddresses()
  const paid = await reads(buyer, purchase.id)
  deepEqual([paid.status, paid.received_raw, paid.payout.status], ['paid', String(price), 'confirmed'])
  ok(paid.entitlement && paid.paid_at && paid.payout.block_hash)
  equal(await market.earnings.receives(), net)
  await isClean(market)
})

test('parts add up; what is over the price goes back to its sender', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses } = market
  const { id, address } = await quotes(buyer, postId)
  await pays(address, price / 2n)
  await checkAddresses()
  deepEqual([(await reads(buyer, id)).status, (await reads(buyer, id)).received_raw], ['pending', String(price / 2n)])
  await isClean(market)
  await pays(address, price)
  await checkAddresses()
  const paid = await reads(buyer, id)
  deepEqual([paid.status, paid.refunded_raw], ['paid', String(price / 2n)])
  equal(await market.wallet.receives(), price / 2n)
  equal((await market.network.client.accountInfo(market.wallet.address))?.balance, 1000n * xno - price)
  await isClean(market)
})

test('a second payment for what was bought goes back, however late it comes', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses, later } = market
  const { id, address } = await quotes(buyer, postId)
  await pays(address, price)
  await checkAddresses()
  await pays(address, price)
  await checkAddresses()
  await later(40 * 86_400)
  await pays(address, 5n * xno)
  await checkAddresses()
  deepEqual(
    [(await reads(buyer, id)).status, (await reads(buyer, id)).refunded_raw],
    ['paid', String(price + 5n * xno)],
  )
  equal(await market.wallet.receives(), price + 5n * xno)
  equal(await market.earnings.receives(), net)
  await isClean(market)
})

test('two quotes for one Post, both paid: one buys, the other goes back at once', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses } = market
  const [first, second] = [await quotes(buyer, postId), await quotes(buyer, postId)]
  await Promise.all([pays(first.address, price), market.network.faucet.send(second.address, price)])
  await checkAddresses()
  await checkAddresses()
  const states = [(await reads(buyer, first.id)).status, (await reads(buyer, second.id)).status].sort()
  deepEqual(states, ['cancelled', 'paid'])
  equal(await market.earnings.receives(), net)
  await isClean(market)
})

test('an expired order stays expired when its late money cannot buy, though the job that marks it was lost', async (t) => {
  const market = await openMarket(t)
  const { world, buyer, postId, pays, checkAddresses } = market
  const [first, second] = [await quotes(buyer, postId), await quotes(buyer, postId)]
  await pays(first.address, price)
  await checkAddresses()
  await world.services.pool.query("DELETE FROM jobs WHERE name = 'close-order'")
  await market.passes(3_700)
  equal((await reads(buyer, second.id)).status, 'expired')
  await pays(second.address, price)
  await checkAddresses()
  const { status, refunded_raw } = await reads(buyer, second.id)
  deepEqual([status, BigInt(refunded_raw)], ['expired', price])
  await isClean(market)
})

test('what a linked wallet bought is not sold to its account again; a quote from before goes back', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses, world } = market
  const { id, address } = await quotes(buyer, postId)
  const { db, clock } = world.services
  const linked = signingWallet()
  equal((await links(buyer.owner, linked)).status, 200)
  const wallet = { network: 'nano:mainnet', address: linked.address } as const
  const granted = { postId, accountId: null, wallet, source: 'x402', orderId: null } as const
  ok(await db.transaction().execute((tx) => grant(tx, clock.now(), granted)))
  const again = await asksToBuy(buyer, postId)
  deepEqual([again.status, again.body.code], [409, 'already-purchased'])
  await pays(address, price)
  await checkAddresses()
  const { status, refunded_raw, entitlement } = await reads(buyer, id)
  deepEqual([status, refunded_raw, entitlement], ['cancelled', String(price), null])
  equal(await market.wallet.receives(), price)
  equal(await market.earnings.receives(), 0n)
  await isClean(market)
})

test('a quote lasts an hour; for a day after that, a full payment still buys', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses, later } = market
  const { id, address } = await quotes(buyer, postId)
  await later(3_500)
  equal((await reads(buyer, id)).status, 'pending')
  // Whether its job ran or not.
  await market.world.advance(101)
  equal((await reads(buyer, id)).status, 'expired')
  await later(86_000)
  equal((await reads(buyer, id)).status, 'expired')
  await pays(address, price)
  await checkAddresses()
  equal((await reads(buyer, id)).status, 'paid')
  await isClean(market)
})

test('money that is more than a day late goes back, for a purchase and for a tip', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses, later, wallet } = market
  const [purchase, tip] = [await quotes(buyer, postId), await tips(buyer, postId, xno)]
  await later(3_600 + 86_400)
  await pays(purchase.address, price)
  await pays(tip.address, xno)
  await checkAddresses()
  const { status, refunded_raw } = await reads(buyer, purchase.id)
  deepEqual([status, BigInt(refunded_raw)], ['expired', price])
  equal(await wallet.receives(), price + xno)
  await isClean(market)
})

const setsPrice = async ({ creator, postId }: Market, priceAtomic: bigint) => {
  const { body: post } = await creator.publisher.calls(getPost, { params: { postId } })
  await creator.publisher.calls(updatePost, {
    params: { postId },
    headers: { 'x-post-revision': post.updatedAt },
    body: { priceAtomic: String(priceAtomic) },
  })
}

test('late money buys only if the post costs no more now; the same after a cancel, but not before the expiry', async (t) => {
  const market = await openMarket(t)
  const { world, postId, pays, checkAddresses } = market
  const payers = await Promise.all([1, 2, 3, 4].map(() => world.reader()))
  const [late, cancelled, onTime, cheaper] = await Promise.all(payers.map((payer) => quotes(payer, postId)))
  await payers[1]!.owner.calls(cancelPurchase, { params: { purchaseId: cancelled!.id } })
  await setsPrice(market, price + 1n)
  await pays(onTime!.address, price)
  await pays(cancelled!.address, price)
  await checkAddresses()
  deepEqual(
    [await reads(payers[2]!, onTime!.id), await reads(payers[1]!, cancelled!.id)].map(({ status }) => status),
    ['paid', 'cancelled'],
  )
  await market.passes(3_601)
  for (const payer of payers) await signsIn(world, payer)
  await pays(late!.address, price)
  await checkAddresses()
  const returned = await reads(payers[0]!, late!.id)
  deepEqual([returned.status, BigInt(returned.refunded_raw)], ['expired', price])
  await setsPrice(market, price - 1n)
  await pays(cheaper!.address, price)
  await checkAddresses()
  equal((await reads(payers[3]!, cheaper!.id)).status, 'paid')
  // A second try with the same order: the price is right now.
  await pays(cancelled!.address, price)
  await checkAddresses()
  equal((await reads(payers[1]!, cancelled!.id)).status, 'paid')
  await isClean(market)
})

test('late money for a post that is no longer sold goes back', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, postId, pays, checkAddresses, later, wallet } = market
  const { id, address } = await quotes(buyer, postId)
  await later(3_601)
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  await pays(address, price)
  await checkAddresses()
  equal((await reads(buyer, id)).status, 'expired')
  equal(await wallet.receives(), price)
  await isClean(market)
})

test('parts of an expired quote go back an hour after it, not before; parts that come later go back at once', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses, later, wallet } = market
  const { id, address } = await quotes(buyer, postId)
  await pays(address, price - 1n)
  await checkAddresses()
  await later(3_600)
  equal(await wallet.receives(), 0n)
  await later(3_500)
  equal(await wallet.receives(), 0n)
  await later(101)
  equal(await wallet.receives(), price - 1n)
  deepEqual([(await reads(buyer, id)).status, (await reads(buyer, id)).refunded_raw], ['expired', String(price - 1n)])
  await pays(address, xno / 100n)
  await checkAddresses()
  equal(await wallet.receives(), xno / 100n)
  await isClean(market)
})

test('parts go back though the job of their order was lost or given up', async (t) => {
  const market = await openMarket(t)
  const { creator, buyer, postId, pays, checkAddresses, passes, wallet, world } = market
  const { pool } = world.services
  const [lost, dead] = [await quotes(buyer, postId), await quotes(buyer, await sells(creator))]
  for (const { address } of [lost, dead]) await pays(address, price / 2n)
  await checkAddresses()
  await pool.query('DELETE FROM jobs WHERE key = $1', [closeKey(lost.id)])
  await pool.query('UPDATE jobs SET dead_at = now() WHERE key = $1', [closeKey(dead.id)])
  await passes(7_100)
  await closeForgottenOrders.run(world.services, {})
  await world.runJobs()
  equal(await wallet.receives(), 0n)
  await passes(101)
  await closeForgottenOrders.run(world.services, {})
  await world.runJobs()
  equal(await wallet.receives(), price)
  await isClean(market)
})

test('a part that comes after the expiry waits for the rest, and both buy', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses, later } = market
  const { id, address } = await quotes(buyer, postId)
  await later(3_700)
  await pays(address, price / 2n)
  await checkAddresses()
  await later(1_000)
  await pays(address, price - price / 2n)
  await checkAddresses()
  equal((await reads(buyer, id)).status, 'paid')
  await later(10_000)
  equal(await market.wallet.receives(), 0n)
  await isClean(market)
})

test('cancelled twice is cancelled; late money still buys, parts go back an hour after the expiry', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses, later, wallet } = market
  const other = await sells(market.creator)
  const [full, part] = [await quotes(buyer, postId), await quotes(buyer, other)]
  await pays(part.address, price / 2n)
  await checkAddresses()
  for (const { id } of [full, part, full]) {
    const { status, body } = await buyer.owner.calls(cancelPurchase, { params: { purchaseId: id } })
    deepEqual([status, body.status], [200, 'cancelled'])
  }
  await pays(full.address, price)
  await checkAddresses()
  deepEqual([(await reads(buyer, full.id)).status, (await reads(buyer, part.id)).status], ['paid', 'cancelled'])
  await later(7_000)
  equal(await wallet.receives(), 0n)
  await later(300)
  equal(await wallet.receives(), price / 2n)
  equal((await reads(buyer, part.id)).status, 'cancelled')
  for (const [id, code] of [[full.id, 'purchase-state']] as const) {
    const { status, body } = await buyer.owner.calls(cancelPurchase, { params: { purchaseId: id } })
    deepEqual([status, body.code], [409, code])
  }
  await isClean(market)
})

test('dust is never received and buys nothing: less than a thousandth, at most 10^24 raw', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses, creator } = market
  const cheap = await sells(creator, { priceAtomic: '5000' })
  const [dear, small] = [await quotes(buyer, postId), await quotes(buyer, cheap)]
  await pays(dear.address, 10n ** 24n - 1n)
  await pays(small.address, 4n)
  await checkAddresses()
  deepEqual([(await reads(buyer, dear.id)).received_raw, (await reads(buyer, small.id)).received_raw], ['0', '0'])
  await pays(dear.address, 10n ** 24n)
  await pays(small.address, 5n)
  await checkAddresses()
  deepEqual(
    [(await reads(buyer, dear.id)).received_raw, (await reads(buyer, small.id)).received_raw],
    [String(10n ** 24n), '5'],
  )
  await isClean(market)
})

test('a quote fixes price, commission and recipient, and outlives a withdrawal', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses, creator, network } = market
  const { id, address } = await quotes(buyer, postId)
  const elsewhere = network.wallet()
  await savesAddress(creator, elsewhere.address)
  equal((await creator.publisher.calls(withdrawPost, { params: { postId } })).status, 200)
  await pays(address, price)
  await checkAddresses()
  equal((await reads(buyer, id)).status, 'paid')
  deepEqual([await market.earnings.receives(), await elsewhere.receives()], [net, 0n])
  await isClean(market)
})

test('commission is rounded down, to the raw; the whole of it goes to the house', async (t) => {
  const house = 'nano_1natrium1o3z5519ifou7xii8crpxpk8y65qmkih8e8bpsjri651oza8imdd'
  const market = await openMarket(t, { settings: { HOUSE_NANO_ADDRESS: house, COMMISSION_BPS: '333' } })
  const { buyer, creator, pays, checkAddresses, network } = market
  const { id, address } = await quotes(buyer, await sells(creator, { priceAtomic: '1000000000000000000000000000001' }))
  await pays(address, xno + 1n)
  await checkAddresses()
  equal((await reads(buyer, id)).status, 'paid')
  equal(await market.earnings.receives(), 966700000000000000000000000001n)
  const [commission] = await network.client.receivable(house, 1n)
  equal(commission?.amount, 33300000000000000000000000000n)
  await isClean(market)
})

for (const [bps, earned] of [
  ['0', price],
  ['10000', 0n],
] as const) {
  test(`a commission of ${bps}: the order is paid anyway`, async (t) => {
    const market = await openMarket(t, { settings: { COMMISSION_BPS: bps } })
    const { id, address } = await quotes(market.buyer, market.postId)
    await market.pays(address, price)
    await market.checkAddresses()
    equal((await reads(market.buyer, id)).status, 'paid')
    equal(await market.earnings.receives(), earned)
    await isClean(market)
  })
}

test('a Post priced in USDC is sold for Nano at the rate of the quote', async (t) => {
  const market = await openMarket(t, { settings: { RATES_STATIC: 'XNO=2,USDC=1' } })
  const { buyer, creator, pays, checkAddresses } = market
  const { id, address } = await quotes(buyer, await sells(creator, { priceCurrency: 'USDC', priceAtomic: '500000' }))
  equal((await reads(buyer, id)).amount_raw, String(xno / 4n))
  await pays(address, xno / 4n)
  await checkAddresses()
  equal((await reads(buyer, id)).status, 'paid')
  await isClean(market)
})

test('a receipt is for what was paid for; a buyer with an account gets no new order', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses } = market
  const { id, address } = await quotes(buyer, postId)
  const claim = () => buyer.owner.calls(claimPurchase, { params: { purchaseId: id } })
  const early = await claim()
  deepEqual([early.status, early.body.code], [409, 'purchase-state'])
  await pays(address, price)
  await checkAddresses()
  const { status, body } = await claim()
  deepEqual([status, body.session, body.receipt.post_id, body.receipt.amount_raw], [200, null, postId, String(price)])
  deepEqual((await claim()).body, body)
})

test('purchases are listed, the newest first, page by page; tips are none', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, world } = market
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) {
    await world.advance(1)
    ids.unshift((await quotes(buyer, await sells(creator))).id)
  }
  const page = async (query: { page?: string; per_page?: string }) =>
    (await buyer.owner.calls(listPurchases, { query })).body
  const all = await page({})
  deepEqual([all.data.map(({ id }: { id: string }) => id), all.total, all.page, all.perPage], [ids, 3, 1, 12])
  const second = await page({ page: '2', per_page: '2' })
  deepEqual([second.data.map(({ id }: { id: string }) => id), second.total], [ids.slice(2), 3])
  equal((await creator.owner.calls(listPurchases, {})).body.total, 0)
})
