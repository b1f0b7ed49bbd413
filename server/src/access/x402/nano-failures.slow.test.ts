import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { withdrawPost } from '@pennypost/contract/publishing'
import { hashBlock } from '@pennypost/nano/block'
import { isClean, price, sells, xno } from '../../payments/market.fixture.ts'
import { jsonOf, presents, quoteFor } from './buying.fixture.ts'
import { openBehindFaultyNode, order } from './nano-orders.fixture.ts'

test('a node that is away before anything was written is 503, and the same request then buys', async (t) => {
  const { market, faultyNode } = await openBehindFaultyNode(t)
  const stranger = market.world.stranger()
  const { accepted, payload } = await order(market, stranger)
  faultyNode.always('*', 'drop')
  const reply = await presents(stranger, market.postId, accepted, payload)
  equal(reply.status, 503)
  ok(Number(reply.headers.get('retry-after')) > 0)
  faultyNode.heal()
  await market.world.advance(70)
  equal((await presents(stranger, market.postId, accepted, payload)).status, 200)
  await market.later(10)
})

test('uncertain is pending: nobody is asked to sign again, and the payment is found automatically', async (t) => {
  const { market, faultyNode } = await openBehindFaultyNode(t)
  const { world, postId } = market
  const stranger = world.stranger()
  const { accepted, block, payload } = await order(market, stranger)
  // The node takes the block, and then stops responding.
  faultyNode.always('process', 'drop-after')
  faultyNode.always('block_info', 'drop')
  const reply = await presents(stranger, postId, accepted, payload)
  equal(reply.status, 402, JSON.stringify(reply.body))
  const response = jsonOf(reply, 'payment-response')
  deepEqual(
    [response.success, response.errorReason, response.transaction],
    [false, 'settlement_pending', hashBlock(block)],
  )
  equal(jsonOf(reply, 'payment-required'), null)
  deepEqual(reply.body.accepts, [])
  ok(Number(reply.headers.get('retry-after')) > 0)
  faultyNode.heal()
  await market.later(70)
  const { rows } = await world.services.pool.query('SELECT state FROM x402_payments')
  deepEqual(rows, [{ state: 'settled' }], 'in the background')
  const found = await presents(stranger, postId, accepted, payload)
  deepEqual([found.status, found.body.access], [200, 'purchased'])
  await market.later(10)
  await isClean(market)
})

test('a payment whose process died after writing it down is finished by another', async (t) => {
  const { market, faultyNode } = await openBehindFaultyNode(t)
  const { world, postId } = market
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  // Nothing of it reaches the node, as if we had died before publishing.
  faultyNode.always('process', 'drop')
  equal((await presents(stranger, postId, accepted, payload)).status, 402)
  faultyNode.heal()
  await market.later(70)
  await market.later(10)
  equal((await presents(stranger, postId, accepted, payload)).status, 200)
  await market.later(10)
  await isClean(market)
})

test('a payer who goes another way while it is pending has not paid, and may pay again', async (t) => {
  const { market, faultyNode } = await openBehindFaultyNode(t)
  const { world, postId, earnings } = market
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  faultyNode.always('process', 'drop')
  equal((await presents(stranger, postId, accepted, payload)).status, 402)
  await market.pays(earnings.address, xno)
  faultyNode.heal()
  await world.advance(70)
  await world.runJobs()
  const reply = await presents(stranger, postId, accepted, payload)
  equal(reply.status, 402)
  equal(jsonOf(reply, 'payment-response').success, false)
  const again = await order(market, stranger)
  equal((await presents(stranger, postId, again.accepted, again.payload)).status, 200)
  await market.later(10)
  await isClean(market)
})

test('a block waits on a frontier: another one for it is refused without a trace, one that got there first buys', async (t) => {
  const { market, faultyNode } = await openBehindFaultyNode(t)
  const { world, postId, creator } = market
  const [second, third] = [await sells(creator), await sells(creator)]
  const stranger = world.stranger()
  const waiting = await order(market, stranger)
  faultyNode.always('process', 'drop')
  equal((await presents(stranger, postId, waiting.accepted, waiting.payload)).status, 402)
  const rival = await order(market, stranger, second)
  const refused = await presents(stranger, second, rival.accepted, rival.payload)
  deepEqual([refused.status, refused.body.error], [402, 'another_payment_is_under_way'])
  const { rows } = await world.services.pool.query('SELECT post_id FROM orders')
  deepEqual(rows, [{ post_id: postId }])
  const sent = await quoteFor(stranger, third)
  const blockHash = await market.pays(sent.payTo, price)
  const paid = await presents(stranger, third, sent, { blockHash })
  deepEqual([paid.status, paid.body.access], [200, 'purchased'], JSON.stringify(paid.body))
  faultyNode.heal()
  await market.later(70)
  await market.later(10)
  await isClean(market)
})

test('a payment that is under way when its Post is withdrawn stays pending to its buyer', async (t) => {
  const { market, faultyNode } = await openBehindFaultyNode(t)
  const { world, postId, creator } = market
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  faultyNode.always('process', 'drop')
  equal((await presents(stranger, postId, accepted, payload)).status, 402)
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  const reply = await presents(stranger, postId, accepted, payload)
  deepEqual([reply.status, reply.body.error, reply.body.accepts], [402, 'settlement_pending', []])
  faultyNode.heal()
  await market.later(70)
  await market.later(10)
})
