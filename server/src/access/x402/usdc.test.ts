import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { listEarnings, listTransactions } from '@pennypost/contract/finance'
import { getPost, updatePost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { hasAnvil, minedReceipt } from '../../test/base-chain.ts'
import { createBaseWallet, payWith, smartWalletsOn } from '../../test/base-wallet.ts'
import { injectFetch } from '../../test/inject-fetch.ts'
import { jsonOf, presents, quoteFor } from './buying.fixture.ts'
import {
  buys,
  isClean,
  openUsdcMarket,
  sellsForUsdc,
  stranger,
  submits,
  type UsdcMarket,
  usdcPrice,
} from './usdc-market.fixture.ts'

const skip = !hasAnvil
const secret = 'the-secret-part'
const payments = async ({ world }: UsdcMarket) =>
  (await world.services.pool.query('SELECT state FROM x402_payments ORDER BY created_at')).rows.map(
    ({ state }) => state,
  )

test('the stock client, unchanged, pays on the chain and reads', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, payTo } = market
  const wallet = await market.fundedWallet()
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(wallet))
  const fetchPaid = wrapFetchWithPayment(injectFetch(world.server, '10.9.9.9'), client)
  const reply = await fetchPaid(`${world.origin}/api/posts/${postId}/access`)
  equal(reply.status, 200, await reply.clone().text())
  const body = (await reply.json()) as { access: string; paidContentMarkdown: string }
  deepEqual([body.access, body.paidContentMarkdown], ['purchased', secret])
  const receipt = jsonOf(reply, 'payment-response')
  deepEqual([receipt.success, receipt.network, receipt.payer], [true, 'eip155:8453', wallet.address])
  equal((await minedReceipt(market.chain.call, receipt.transaction)).status, '0x1')
  equal(await market.balance(payTo), usdcPrice)
  const metrics = await world.services.metrics.registry.metrics()
  match(metrics, /^pennypost_usdc_settlements_total\{outcome="settled"\} [1-9]\d*$/m)
  await market.later(10)
  await isClean(market)
})

test('a settled proof reads again with its token, and is the same receipt; a thief with the public proof reads nothing', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const wallet = await market.fundedWallet()
  const { accepted, payload, reply } = await buys(market, world.stranger(), wallet)
  await world.advance(10_000)
  const again = await presents(world.stranger(), postId, accepted, payload)
  equal(again.status, 200)
  deepEqual(jsonOf(again, 'payment-response'), jsonOf(reply, 'payment-response'))
  const thief = world.stranger()
  const own = await quoteFor(thief, postId, 'eip155:8453')
  for (const quote of [own, { ...accepted, extra: own.extra }, { ...accepted, extra: {} }]) {
    const stolen = await presents(thief, postId, quote, payload)
    equal(stolen.status, 402)
    ok(!JSON.stringify(stolen.body).includes(secret))
  }
  const altered = { ...payload, signature: payload.signature.replace(/..$/, '1d') }
  equal((await presents(thief, postId, accepted, altered)).status, 402)
  equal(await market.balance(market.payTo), usdcPrice)
  await market.later(10)
})

test('a proof pays for one Post under one quote, however many ask at once', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const other = await sellsForUsdc(creator)
  const person = world.stranger()
  const wallet = await market.fundedWallet()
  const { accepted, payload } = await market.order(person, wallet)
  const elsewhere = await quoteFor(person, other, 'eip155:8453')
  const second = await quoteFor(person, postId, 'eip155:8453')
  const replies = await Promise.all([
    ...Array.from({ length: 12 }, () => presents(person, postId, accepted, payload)),
    presents(person, other, elsewhere, payload),
    presents(person, other, accepted, payload),
  ])
  const statuses = replies.map(({ status }) => status)
  const isFirst = statuses.slice(0, 12).includes(200)
  deepEqual(statuses.slice(12), [isFirst ? 402 : 200, 402], String(statuses))
  equal(await market.balance(market.payTo), usdcPrice, 'paid once')
  const { rows: sent } = await world.services.pool.query('SELECT count(*)::int AS n FROM usdc_transactions')
  equal(sent[0].n, 1, 'and sent once')
  const { rows } = await world.services.pool.query('SELECT count(*)::int AS n FROM orders')
  equal(rows[0].n, 1)
  equal((await presents(person, postId, second, payload)).status, 402)
  const [loser, unpaid] = isFirst ? [other, elsewhere] : [postId, accepted]
  equal((await presents(person, loser, unpaid, payload)).status, 402)
  await market.later(10)
  await isClean(market)
})

test('wrong amounts, receivers, windows and signatures are refused, and nothing is sent', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const person = world.stranger()
  const wallet = await market.fundedWallet()
  const accepted = await quoteFor(person, postId, 'eip155:8453')
  const pays = async (change: object) => (await payWith(wallet, { ...accepted, ...change })).payload
  const wrong: [string, object][] = [
    ['less', await pays({ amount: '249999' })],
    ['elsewhere', await pays({ payTo: wallet.address })],
    ['another domain', await pays({ extra: { ...accepted.extra, name: 'USDC' } })],
    ['too short', await pays({ maxTimeoutSeconds: 3 })],
    ['too long', await pays({ maxTimeoutSeconds: 4000 })],
    ['longer than can be counted', await pays({ maxTimeoutSeconds: 2 ** 53 - 1 })],
    ['broke', (await payWith(createBaseWallet(), accepted)).payload],
  ]
  for (const [what, payload] of wrong) {
    const reply = await presents(person, postId, accepted, payload)
    equal(reply.status, 402, what)
    notEqual(reply.body.error, 'Payment required', what)
    ok(reply.body.accepts.length > 0)
  }
  for (const payload of [{}, { authorization: {} }, { signature: '0x' }, { block: {} }])
    equal((await presents(person, postId, accepted, payload)).status, 400)
  deepEqual(await payments(market), [])
  equal(await market.balance(market.payTo), 0n)
})

test('a quote is good for 300 seconds though price and address change, and for no longer', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const person = world.stranger()
  const wallet = await market.fundedWallet()
  const { accepted } = await market.order(person, wallet)
  const { body: post } = await creator.publisher.calls(getPost, { params: { postId } })
  const change = { headers: { 'x-post-revision': post.updatedAt }, body: { priceAtomic: '900000' } }
  equal((await creator.publisher.calls(updatePost, { params: { postId }, ...change })).status, 200)
  await world.advance(290)
  const fresh = async (of: typeof accepted) => (await payWith(wallet, { ...of, maxTimeoutSeconds: 2000 })).payload
  equal((await presents(person, postId, accepted, await fresh(accepted))).status, 200)
  equal(await market.balance(market.payTo), usdcPrice, 'the price of the quote')
  const other = await sellsForUsdc(creator)
  const late = await quoteFor(person, other, 'eip155:8453')
  await world.advance(302)
  const refused = await presents(person, other, late, await fresh(late))
  deepEqual([refused.status, refused.body.error], [402, 'quote_expired'])
  await market.later(10)
})

test('smart wallets pay: deployed (1271) as they are, others (6492) where their factory is allowed', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const wallets = await smartWalletsOn(market.chain)
  const deployed = await wallets.create({ isDeployed: true })
  await market.chain.mint(deployed.address, usdcPrice)
  await buys(market, market.world.stranger(), deployed)
  const counterfactual = await wallets.create({ isDeployed: false })
  await market.chain.mint(counterfactual.address, usdcPrice)
  const { accepted, payload } = await market.order(market.world.stranger(), counterfactual)
  const reply = await presents(market.world.stranger(), market.postId, accepted, payload)
  deepEqual([reply.status, reply.body.error], [402, 'eip6492_factory_not_allowed'])
  await market.later(10)
})

test('a withdrawn post is not sold under an old quote; buyers keep it', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const bought = await buys(market, world.stranger(), await market.fundedWallet())
  const late = await market.order(world.stranger(), await market.fundedWallet())
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  equal((await presents(world.stranger(), postId, late.accepted, late.payload)).status, 404)
  equal((await presents(world.stranger(), postId, bought.accepted, bought.payload)).status, 200)
  equal(await market.balance(market.payTo), usdcPrice)
  await market.later(10)
})

test('a wallet that has the Post is not charged again; with an owner token the account owns it too', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const wallet = await market.fundedWallet()
  const reader = await world.reader()
  const { accepted, payload } = await market.order(reader.owner, wallet)
  equal((await presents(reader.owner, postId, accepted, payload)).status, 200)
  const own = await reader.owner.calls(getAccess, { params: { postId } })
  deepEqual([own.body.access, own.body.entitlement.source], ['purchased', 'x402'])
  const again = await market.order(world.stranger(), wallet)
  const reply = await presents(world.stranger(), postId, again.accepted, again.payload)
  deepEqual([reply.status, reply.body.access], [200, 'wallet'])
  equal(await market.balance(market.payTo), usdcPrice)
  const { body: earned } = await creator.owner.calls(listEarnings, {})
  deepEqual(earned.summary.USDC, { count: 1, gross_raw: '250000', commission_raw: '0', net_raw: '250000' })
  const { body: spent } = await reader.owner.calls(listTransactions, {})
  deepEqual([spent.items[0].asset, spent.items[0].direction, spent.items[0].status], ['USDC', 'out', 'paid'])
  equal(earned.summary.XNO.gross_raw, '0')
  await market.later(10)
  await isClean(market)
})

// --- A chain that fails ----------------------------------------------------------------------------------------------

test('a chain that is away before anything was written is 503, and the same request then buys', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const faultyNode = await stranger(t, market)
  const person = market.world.stranger()
  const { accepted, payload } = await market.order(person, await market.fundedWallet())
  faultyNode.always('*', 'drop')
  equal((await presents(person, market.postId, accepted, payload)).status, 503)
  deepEqual(await payments(market), [])
  faultyNode.heal()
  await market.world.advance(70)
  equal((await presents(person, market.postId, accepted, payload)).status, 200)
  await market.later(10)
})

test('a transaction without a response is pending, and found automatically: nobody signs twice', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const faultyNode = await stranger(t, market)
  const person = world.stranger()
  const { accepted, payload } = await market.order(person, await market.fundedWallet())
  // The chain takes it, and its receipt is lost.
  faultyNode.always('eth_sendRawTransaction', 'drop-after')
  faultyNode.always('eth_getTransactionReceipt', 'drop')
  const reply = await presents(person, postId, accepted, payload)
  equal(reply.status, 402, JSON.stringify(reply.body))
  const response = jsonOf(reply, 'payment-response')
  deepEqual([response.success, response.errorReason], [false, 'settlement_pending'])
  ok(/^0x[0-9a-f]{64}$/.test(response.transaction))
  ok(Number(reply.headers.get('retry-after')) > 0)
  equal(jsonOf(reply, 'payment-required'), null)
  deepEqual([reply.body.accepts, await payments(market)], [[], ['settling']])
  faultyNode.heal()
  await market.later(70)
  deepEqual(await payments(market), ['settled'], 'in the background')
  const found = await presents(person, postId, accepted, payload)
  deepEqual([found.status, jsonOf(found, 'payment-response').transaction], [200, response.transaction])
  equal(await market.balance(market.payTo), usdcPrice)
  await market.later(10)
  await isClean(market)
})

test('a transaction that never reached the chain is handed over again, the same bytes', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const faultyNode = await stranger(t, market)
  const person = world.stranger()
  const { accepted, payload } = await market.order(person, await market.fundedWallet())
  faultyNode.always('eth_sendRawTransaction', 'drop')
  equal((await presents(person, postId, accepted, payload)).status, 402)
  faultyNode.heal()
  await world.advance(70)
  await world.runJobs()
  await market.later(20)
  equal((await presents(person, postId, accepted, payload)).status, 200)
  const { rows } = await world.services.pool.query('SELECT count(*)::int AS n FROM usdc_transactions')
  equal(rows[0].n, 1)
  await market.later(10)
})

test('someone else submits the authorization first: the buyer has paid, and reads; what was used before us buys nothing', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const used = await market.order(world.stranger(), await market.fundedWallet())
  await submits(market, used.payload)
  equal((await presents(world.stranger(), postId, used.accepted, used.payload)).status, 402, 'never seen unused by us')
  const faultyNode = await stranger(t, market)
  const person = world.stranger()
  const { accepted, payload } = await market.order(person, await market.fundedWallet())
  faultyNode.always('eth_sendRawTransaction', 'drop')
  equal((await presents(person, postId, accepted, payload)).status, 402)
  await submits(market, payload)
  faultyNode.heal()
  await market.later(70)
  equal((await presents(person, postId, accepted, payload)).status, 200)
  equal(await market.balance(market.payTo), 2n * usdcPrice)
  await market.later(10)
})
