import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { createPurchase } from '@pennypost/contract/purchases'
import { tipPost } from '@pennypost/contract/tips'
import { startNanoTransfer } from '@pennypost/contract/transfer-logins'
import { tipThroughX402 } from '@pennypost/contract/x402-tips'
import { presents } from '../../access/x402/buying.fixture.ts'
import { openBehindFaultyNode, order } from '../../access/x402/nano-orders.fixture.ts'
import { isClean, openMarket, price, quotes, reads } from '../../payments/market.fixture.ts'
import { checkReadiness } from '../../platform/readiness.ts'
import { createFaultyNode } from '../../test/faulty-node.ts'
import { openEmptyLedger } from '../../test/nano-network.ts'
import type { World } from '../../test/world.ts'

async function readiness({ services: { nano } }: World) {
  await nano.monitor.check()
  const { missing, degraded, details } = await checkReadiness(nano.monitor.dependencies)
  return { missing, degraded, details }
}

test('while the node is on another network, the service is not ready, says so, and offers no Nano payments', async (t) => {
  const { market, faultyNode } = await openBehindFaultyNode(t)
  const { world, buyer, postId } = market
  const visitor = world.stranger()
  deepEqual(await readiness(world), { missing: [], degraded: [], details: {} })

  faultyNode.always('version', (reply) => ({ ...reply, network: 'live' }))
  const { missing, details } = await readiness(world)
  deepEqual(missing, ['nano-network'])
  // Anyone can read it, so it has no address.
  equal(details['nano-network'], 'NANO_RPC_URL: node 1 is on another network')
  const purchase = await buyer.owner.sends(createPurchase, { idempotencyKey: randomUUID(), body: { postId } })
  // It passes, so the offer does not say that the post is not sold for Nano.
  equal(purchase.status, 503)
  const tip = await buyer.owner.sends(tipPost, {
    idempotencyKey: randomUUID(),
    params: { postId },
    body: { amountRaw: String(price) },
  })
  equal(tip.status, 503)
  const query = { amount_raw: String(price) }
  equal((await visitor.sends(tipThroughX402, { params: { postId }, query })).status, 503)
  equal((await visitor.calls(getAccess, { params: { postId } })).status, 503)
  equal((await visitor.sends(startNanoTransfer, { body: { requestSecret: 'r'.repeat(43) } })).status, 503)

  faultyNode.heal()
  deepEqual((await readiness(world)).missing, [])
  const { id, address } = await quotes(buyer, postId)
  await market.pays(address, price)
  await market.checkAddresses()
  equal((await reads(buyer, id)).status, 'paid')
})

test('a payment presented while the node is on another network is not refused, and buys once it is back', async (t) => {
  const { market, faultyNode } = await openBehindFaultyNode(t)
  const { world, postId } = market
  const visitor = world.stranger()
  const { accepted, payload } = await order(market, visitor)
  faultyNode.always('version', (reply) => ({ ...reply, network: 'live' }))
  await readiness(world)
  const reply = await presents(visitor, postId, accepted, payload)
  // A client that is refused would sign another one, and could have paid twice.
  equal(reply.status, 503, JSON.stringify(reply.body))
  faultyNode.heal()
  await readiness(world)
  equal((await presents(visitor, postId, accepted, payload)).status, 200)
  await market.later(10)
  await isClean(market)
})

test('with an empty node first, payments are found on the second, and readiness shows it as degraded', async (t) => {
  const first = await createFaultyNode(t, await openEmptyLedger(t))
  const market = await openMarket(t, {
    node: async ({ rpcUrl, wsUrl }) => ({ rpcUrl: `${first.rpcUrl},${rpcUrl}`, wsUrl }),
  })
  const { world, buyer, postId } = market
  const { missing, degraded, details } = await readiness(world)
  deepEqual([missing, degraded], [[], ['nano']])
  equal(details.nano, 'NANO_RPC_URL: node 1 is behind')
  first.always('version', (reply) => ({ ...reply, network: 'live' }))
  deepEqual(await readiness(world), {
    missing: [],
    degraded: ['nano'],
    details: { nano: 'NANO_RPC_URL: node 1 is on another network' },
  })
  first.heal()
  const { id, address } = await quotes(buyer, postId)
  await market.pays(address, price)
  await market.checkAddresses()
  equal((await reads(buyer, id)).status, 'paid')
})
