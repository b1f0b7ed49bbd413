import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { memoryStore, Pennypost, type PennypostOptions } from '@pennypost/sdk'
import { openMarket, price, savesAddress } from '../../payments/market.fixture.ts'
import type { World } from '../world.ts'

// Purchases, checkouts and tips with live status, over a real connection.

async function clientOf(world: World, options: Partial<PennypostOptions> = {}): Promise<Pennypost> {
  if (!world.server.server.listening) await world.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.server.server.address() as AddressInfo
  return new Pennypost({ baseUrl: `http://127.0.0.1:${port}`, ...options })
}

async function openShop(t: TestContext) {
  const market = await openMarket(t)
  const pays = async (address: string, raw: bigint) => {
    await market.pays(address, raw)
    await market.checkAddresses()
  }
  return { ...market, pays }
}

const statusesOf = async (
  orders: AsyncGenerator<{ readonly status: string }>,
  whenPending: () => Promise<void>,
): Promise<string[]> => {
  const statuses: string[] = []
  for await (const { status } of orders) {
    if (statuses.length === 0) await whenPending()
    statuses.push(status)
  }
  return statuses
}

test('a purchase is made once, followed to its end, and read', async (t) => {
  const { world, buyer, postId, pays } = await openShop(t)
  const store = memoryStore()
  const client = await clientOf(world, { session: buyer.pair, store })
  const { purchase, ephemeral_address } = await client.purchases.create(postId)
  equal((await client.purchases.create(postId)).purchase.id, purchase.id, 'the same purchase')
  const restarted = await clientOf(world, { session: buyer.pair, store })
  equal((await restarted.purchases.create(postId)).purchase.id, purchase.id, 'also in another program')
  const statuses = await statusesOf(client.purchases.watch(purchase.id), () =>
    pays(ephemeral_address.ephemeral_address, price),
  )
  deepEqual([statuses[0], statuses.at(-1)], ['pending', 'paid'])
  ok(statuses.includes('received'))
  equal((await client.purchases.untilPaid(purchase.id)).status, 'paid')
  equal((await client.purchases.receipt(purchase.id)).post_id, postId)
  equal((await client.posts.read(postId)).paidContentMarkdown, 'the-secret-part')
  const [item] = await client.library.list().take(1)
  equal(item?.post.id, postId)
  equal((await client.purchases.create(postId)).purchase.id, purchase.id, 'it is not bought twice')
})

test('a cancelled purchase ends the wait, and the next one is new', async (t) => {
  const { world, buyer, postId } = await openShop(t)
  const client = await clientOf(world, { session: buyer.pair })
  const { purchase } = await client.purchases.create(postId)
  const waiting = client.purchases.untilPaid(purchase.id)
  const refusal = rejects(waiting, { code: 'order-ended', details: { status: 'cancelled' } })
  await client.purchases.cancel(purchase.id)
  await refusal
  ok((await client.purchases.create(postId)).purchase.id !== purchase.id)
})

test('a stream that breaks is opened again, and no state is lost', async (t) => {
  const { world, buyer, postId, pays } = await openShop(t)
  let streams = 0
  const cut: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
    streams += 1
    if (streams > 1) return response
    // The first event arrives, then the connection is gone.
    const reader = response.body!.getReader()
    const { value } = await reader.read()
    await reader.cancel()
    return new Response(value as Uint8Array<ArrayBuffer>, { headers: response.headers })
  }
  const client = await clientOf(world, { session: buyer.pair, fetch: cut })
  const { purchase, ephemeral_address } = await client.purchases.create(postId)
  const statuses = await statusesOf(client.purchases.watch(purchase.id), () =>
    pays(ephemeral_address.ephemeral_address, price),
  )
  deepEqual([statuses[0], statuses.at(-1)], ['pending', 'paid'])
  ok(streams >= 2)
})

test('a guest buys with a checkout, and reads with the session of the new account', async (t) => {
  const { world, postId, pays } = await openShop(t)
  const client = await clientOf(world)
  const { checkout, payment } = await client.checkouts.create(postId)
  equal((await client.checkouts.create(postId)).checkout.id, checkout.id)
  await pays(payment.address, price)
  const { session } = await client.checkouts.untilPaid(checkout.id)
  equal((await client.checkouts.create(postId)).checkout.id, checkout.id, 'it is not bought twice')
  await client.session.use(session!)
  equal((await client.posts.read(postId)).paidContentMarkdown, 'the-secret-part')
  await rejects(client.checkouts.create(postId), { code: 'already-purchased' })
})

test('a tip has one address, however often it is asked for by its key', async (t) => {
  const shop = await openShop(t)
  const { world, buyer, creator, postId } = shop
  await savesAddress(creator, shop.earnings.address)
  const client = await clientOf(world, { session: buyer.pair })
  const tip = { amount: '0.5', message: 'Thanks!' }
  const { session } = await client.tips.create({ postId }, tip, { key: 'for-the-post' })
  equal((await client.tips.create({ postId }, tip, { key: 'for-the-post' })).session.id, session.id)
  ok((await client.tips.create({ postId }, tip)).session.id !== session.id)
  await shop.pays(session.ephemeral_address.ephemeral_address, 500_000_000_000_000_000_000_000_000_000n)
  equal((await client.tips.untilPaid(session.id)).message, 'Thanks!')
})
