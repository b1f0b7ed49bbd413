import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getPurchase } from '@pennypost/contract/purchases'
import { getTip } from '@pennypost/contract/tips'
import { opensStream } from './event-stream.fixture.ts'
import { openMarket, price, quotes, reads, tips, xno } from './market.fixture.ts'

interface Heard {
  readonly status: string
  readonly received_raw: string
  readonly id: string
}

const opens = (...watched: Parameters<typeof opensStream>) => opensStream<Heard>(...watched)

test('a purchase is streamed: as it is, with each change, and to its end', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, world, pays, checkAddresses } = market
  const { id, address } = await quotes(buyer, postId)
  const stream = await opens(world, buyer.owner, `/api/v1/purchases/${id}`)
  equal(stream.response.headers['content-type'], 'text/event-stream; charset=utf-8')
  equal(stream.response.headers['cache-control'], 'private, no-store')
  const first = (await stream.next())!
  deepEqual([first.event, first.data.status, first.data.id], ['purchase', 'pending', id])
  deepEqual(first.data, await reads(buyer, id))
  await pays(address, price / 2n)
  await checkAddresses()
  deepEqual((await stream.next())!.data.received_raw, String(price / 2n))
  await pays(address, price - price / 2n)
  await checkAddresses()
  const states: string[] = []
  for (let heard = await stream.next(); heard; heard = await stream.next()) states.push(heard.data.status)
  equal(states[0], 'received')
  equal(states.at(-1), 'paid')
})

test('a tip is streamed too; an expiry and a cancellation are changes; many may watch, and leave', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, world } = market
  const { id } = await tips(buyer, postId, xno)
  const streams = await Promise.all([1, 2, 3].map(() => opens(world, buyer.owner, `/api/v1/tips/${id}`)))
  for (const stream of streams) equal((await stream.next())!.data.status, 'pending')
  streams[0]!.leave()
  await market.later(3_601)
  for (const stream of streams.slice(1)) deepEqual((await stream.next())!.data.status, 'expired')
  for (const stream of streams) stream.leave()
})

test('a connection to the database that breaks loses no change', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, world, pays, checkAddresses } = market
  const { id, address } = await quotes(buyer, postId)
  const stream = await opens(world, buyer.owner, `/api/v1/purchases/${id}`)
  equal((await stream.next())!.data.status, 'pending')
  await world.services.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'pennypost listener%' AND datname = current_database()`,
  )
  await pays(address, price)
  await checkAddresses()
  let last: string | undefined
  for (let heard = await stream.next(); heard; heard = await stream.next()) last = heard.data.status
  equal(last, 'paid')
})

test('JSON is the answer unless a stream is preferred; closing ends streams', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, world } = market
  const { id } = await quotes(buyer, postId)
  for (const accept of ['application/json', '*/*', 'text/event-stream;q=0.5, application/json']) {
    const { response, leave } = await opens(world, buyer.owner, `/api/v1/purchases/${id}`, accept)
    ok(response.headers['content-type']?.startsWith('application/json'), accept)
    leave()
  }
  const stream = await opens(world, buyer.owner, `/api/v1/purchases/${id}`)
  await stream.next()
  world.services.orderEvents.close()
  equal(await stream.next(), undefined)
})

test('an account that watches too many orders is refused, and told when to come back', async (t) => {
  const { buyer, postId, world } = await openMarket(t, { settings: { STREAMS_PER_ACCOUNT: '1' } })
  const { id } = await quotes(buyer, postId)
  const stream = await opens(world, buyer.owner, `/api/v1/purchases/${id}`)
  await stream.next()
  const refused = await buyer.owner.sends(getPurchase, {
    params: { purchaseId: id },
    headers: { accept: 'text/event-stream' },
  })
  deepEqual([refused.status, refused.body.code, refused.headers.get('retry-after')], [429, 'too-many-streams', '5'])
  equal((await buyer.owner.sends(getPurchase, { params: { purchaseId: id } })).status, 200)
  const tip = await tips(buyer, postId, xno)
  const watched = { params: { sessionId: tip.id }, headers: { accept: 'text/event-stream' } }
  equal((await buyer.owner.sends(getTip, watched)).body.code, 'too-many-streams')
  stream.leave()
})
