import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { linkTo } from '@pennypost/nano/block'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { isClean, openMarket, price, xno } from '../../payments/market.fixture.ts'
import { readAuthorization } from '../../rails/base/base-rail.ts'
import { isSignedByPayer } from '../../rails/base/payment/is-signed-by-payer.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { createBaseWallet, smartWalletsOn } from '../../test/base-wallet.ts'
import { createFaultyNode, type FaultyNode } from '../../test/faulty-node.ts'
import { injectFetch } from '../../test/inject-fetch.ts'
import { until } from '../../test/until.ts'
import { jsonOf, presents, quoteFor } from './buying.fixture.ts'
import { buys, openUsdcMarket, stranger, submits, usdcPrice } from './usdc-market.fixture.ts'

// Clients that know nothing of what they did before: they ask, sign and pay again. Nobody is charged twice for a post.

const skip = !hasAnvil

test('the answer to a stock client is lost; run again, it reads and is not charged again', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const wallet = await market.fundedWallet()
  const ask = injectFetch(world.server, '10.9.9.9')
  let isLost = false
  const loses: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const reply = await ask(request.clone())
    if (isLost || !request.headers.has('payment-signature')) return reply
    isLost = true
    throw new TypeError('fetch failed')
  }
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(wallet))
  const buys = wrapFetchWithPayment(loses, client)
  const url = `${world.origin}/api/posts/${postId}/access`
  await rejects(() => buys(url), /fetch failed/)
  const reply = await buys(url)
  equal(reply.status, 200)
  equal(((await reply.json()) as { access: string }).access, 'wallet')
  equal(await market.balance(market.payTo), usdcPrice)
  await market.later(10)
})

test('a wallet that has spent all it had on the Post reads when it signs again; who only knows its address does not', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const smart = await (await smartWalletsOn(market.chain)).create({ isDeployed: true })
  await market.chain.mint(smart.address, usdcPrice)
  const thief = createBaseWallet()
  for (const wallet of [await market.fundedWallet(usdcPrice), smart]) {
    const client = new x402Client().register('eip155:8453', new ExactEvmScheme(wallet))
    const buys = wrapFetchWithPayment(injectFetch(world.server, '10.9.9.8'), client)
    const url = `${world.origin}/api/posts/${postId}/access`
    for (const access of ['purchased', 'wallet']) {
      const reply = await buys(url)
      deepEqual([reply.status, ((await reply.json()) as { access: string }).access], [200, access])
    }
    equal(await market.balance(wallet.address), 0n)
    const forged = { ...wallet, signTypedData: thief.signTypedData }
    const { accepted, payload } = await market.order(world.stranger(), forged)
    equal((await presents(world.stranger(), postId, accepted, payload)).status, 402)
  }
  const poor = await market.order(world.stranger(), createBaseWallet())
  const refused = await presents(world.stranger(), postId, poor.accepted, poor.payload)
  deepEqual([refused.status, refused.body.error], [402, 'invalid_exact_evm_insufficient_balance'])
  await market.later(10)
})

test('an authorization that was used elsewhere is on the chain, and reads for nobody who copies it', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const wallet = await market.fundedWallet(usdcPrice * 2n)
  await buys(market, world.stranger(), wallet)
  const { accepted, payload } = await market.order(world.stranger(), wallet)
  await submits(market, payload)
  equal(await market.balance(wallet.address), 0n)
  const copied = await presents(world.stranger(), postId, accepted, payload)
  deepEqual([copied.status, copied.body.error], [402, 'invalid_exact_evm_nonce_already_used'])
  const { base } = world.services
  const authorization = readAuthorization(payload)!
  equal(await isSignedByPayer(authorization, base!.token, base!.chain!), false)
  await market.later(10)
})

test('a wallet that signs again while its payment is under way is told to wait for the first', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const wallet = await market.fundedWallet()
  const faultyNode = await stranger(t, market)
  // The chain takes it, and its receipt is lost.
  faultyNode.always('eth_sendRawTransaction', 'drop-after')
  faultyNode.always('eth_getTransactionReceipt', 'drop')
  const first = await market.order(world.stranger(), wallet)
  const pending = await presents(world.stranger(), postId, first.accepted, first.payload)
  equal(pending.body.error, 'settlement_pending')
  // Long enough for the node to be asked again.
  faultyNode.heal()
  await world.advance(61)
  faultyNode.always('eth_getTransactionReceipt', 'drop')
  const second = await market.order(world.stranger(), wallet)
  const again = await presents(world.stranger(), postId, second.accepted, second.payload)
  deepEqual([again.status, again.body.error, again.body.accepts], [402, 'settlement_pending', []])
  equal(jsonOf(again, 'payment-response').transaction, jsonOf(pending, 'payment-response').transaction)
  faultyNode.heal()
  await market.later(70)
  const read = await presents(world.stranger(), postId, second.accepted, second.payload)
  deepEqual([read.status, read.body.access], [200, 'wallet'])
  equal(await market.balance(market.payTo), usdcPrice)
  await market.later(10)
})

test('what was signed first fails: what was signed again is taken', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const wallet = await market.fundedWallet()
  const faultyNode = await stranger(t, market)
  const first = await market.order(world.stranger(), wallet)
  // Nobody says which transaction is next: nothing is signed, nothing can come of it for us.
  faultyNode.always('eth_getTransactionCount', 'drop')
  equal((await presents(world.stranger(), postId, first.accepted, first.payload)).body.error, 'settlement_pending')
  faultyNode.heal()
  await world.services.pool.query(
    "UPDATE x402_payments SET state = 'failed', failure = 'refused', is_final = true WHERE state = 'settling'",
  )
  const second = await market.order(world.stranger(), wallet)
  equal((await presents(world.stranger(), postId, second.accepted, second.payload)).status, 200)
  equal(await market.balance(market.payTo), usdcPrice)
  await market.later(10)
})

test('ten that sign for one wallet at once are charged once', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const wallet = await market.fundedWallet()
  const orders = await Promise.all(Array.from({ length: 10 }, () => market.order(world.stranger(), wallet)))
  const replies = await Promise.all(
    orders.map(({ accepted, payload }) => presents(world.stranger(), postId, accepted, payload)),
  )
  for (const { status, body } of replies)
    ok(status === 200 || body.error === 'settlement_pending', JSON.stringify(body))
  equal(await market.balance(market.payTo), usdcPrice)
  for (const { accepted, payload } of orders)
    equal((await presents(world.stranger(), postId, accepted, payload)).status, 200)
  await market.later(10)
})

test('Nano: a second block for a Post waits for the first, and what it sent goes back', async (t) => {
  let faultyNode: FaultyNode | undefined
  const market = await openMarket(t, {
    node: async (network) => {
      faultyNode = await createFaultyNode(t, network)
      return faultyNode
    },
  })
  const { world, postId, network, wallet } = market
  const person = world.stranger()
  const first = await quoteFor(person, postId)
  const { balance } = (await network.client.accountInfo(wallet.address))!
  const block = await wallet.next({ balance: balance - price, link: linkTo(first.payTo) })
  // The node says once that it has no such block, takes it, and then says nothing of it.
  faultyNode!.next('block_info', (answer) => answer)
  faultyNode!.always('process', 'drop-after')
  faultyNode!.always('block_info', 'drop')
  equal((await presents(person, postId, first, { block })).body.error, 'settlement_pending')
  faultyNode!.heal()
  await world.advance(70)
  // While the circuit breaker tries the node with one call, it rejects all others.
  const { client } = world.services.nano
  await until('the node is used again', () => client.accountInfo(wallet.address).catch(() => undefined))
  await network.untilConfirmed((await network.client.accountInfo(wallet.address))!.frontier)
  // Nobody has noted the first yet. Its owner sends once more, for another quote.
  const second = await quoteFor(world.stranger(), postId)
  const blockHash = await market.pays(second.payTo, price)
  const read = await presents(world.stranger(), postId, second, { blockHash })
  deepEqual([read.status, read.body.access], [200, 'wallet'], JSON.stringify(read.body))
  await market.later(10)
  equal(await wallet.receives(), price, 'what was sent again')
  equal((await network.client.accountInfo(wallet.address))!.balance, 1000n * xno - price)
  await isClean(market)
})
