import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { bindPayout } from '@pennypost/contract/payouts'
import { clearPayoutAddress, getPayoutAddress, saveBasePayoutAddress } from '@pennypost/contract/profiles'
import { formatWork, workThresholds } from '@pennypost/nano/work'
import type { Reader } from '../test/people.ts'
import { until } from '../test/until.ts'
import { isClean, openMarket, price, quotes, reads, savesAddress, tips, xno } from './market.fixture.ts'

const net = (price * 95n) / 100n
const binds = (person: Reader, sourceKind: string, sourceId: string, body: object) =>
  person.owner.sends(bindPayout, { params: { sourceKind, sourceId }, body })
const saved = async (person: Reader) => {
  const { payoutAddress, addressUpdatedAt } = (await person.owner.calls(getPayoutAddress, {})).body
  return { payoutAddress, addressUpdatedAt }
}
const forgets = async (person: Reader) => {
  await person.owner.calls(saveBasePayoutAddress, {
    body: { payoutAddress: '0x52908400098527886E0F7030069857D2E4169EE7' },
  })
  equal((await person.owner.calls(clearPayoutAddress, {})).status, 200)
}

test('without any saved address a payout waits as an obligation; bound to a saved one it is sent there, once', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, postId, pays, checkAddresses, network } = market
  const { id, address } = await quotes(buyer, postId)
  await forgets(creator)
  await pays(address, price)
  await checkAddresses()
  const blocked = await reads(buyer, id)
  deepEqual([blocked.status, blocked.payout.status], ['received', 'blocked'])
  ok(blocked.entitlement)
  await isClean(market)
  const wallet = network.wallet()
  const now = new Date().toISOString()
  const early = await binds(creator, 'purchase', id, { payoutAddress: wallet.address, addressUpdatedAt: now })
  deepEqual([early.status, early.body.code], [409, 'recipient-changed'])
  await savesAddress(creator, wallet.address)
  const binding = await saved(creator)
  const stale = await binds(creator, 'purchase', id, { ...binding, addressUpdatedAt: '2020-01-01T00:00:00Z' })
  deepEqual([stale.status, stale.body.code], [409, 'recipient-changed'])
  for (const [person, kind, sourceId] of [
    [buyer, 'purchase', id],
    [creator, 'tip', id],
    [creator, 'purchase', randomUUID()],
    [creator, 'refund', id],
  ] as const)
    deepEqual((await binds(person, kind, sourceId, binding)).status, 404)
  const bound = await Promise.all([1, 2, 3].map(() => binds(creator, 'purchase', id, binding)))
  deepEqual(
    bound.map(({ status }) => status),
    [200, 200, 200],
  )
  deepEqual(bound.map(({ body }) => body.replayed).sort(), [false, true, true])
  await checkAddresses()
  equal((await reads(buyer, id)).status, 'paid')
  equal(await wallet.receives(), net)
  const again = await binds(creator, 'purchase', id, binding)
  deepEqual([again.status, again.body.replayed, again.body.status], [200, true, 'confirmed'])
  await savesAddress(creator, market.earnings.address)
  const other = await binds(creator, 'purchase', id, await saved(creator))
  deepEqual([other.status, other.body.code], [409, 'payout-not-eligible'])
  await isClean(market)
})

test('a payout that is not blocked cannot be bound; what is no address is refused', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, postId, pays, checkAddresses } = market
  const { id, address } = await tips(buyer, postId, xno)
  await pays(address, xno)
  await checkAddresses()
  const binding = await saved(creator)
  const refused = await binds(creator, 'tip', id, binding)
  deepEqual([refused.status, refused.body.code], [409, 'payout-not-eligible'])
  for (const body of [
    {},
    { ...binding, payoutAddress: 'nano_1' },
    { ...binding, addressUpdatedAt: 'now' },
    { ...binding, x: 1 },
  ])
    equal((await binds(creator, 'tip', id, body)).status, 422)
})

test('an address of the service itself is never paid to, or money would go around forever', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, postId, pays, checkAddresses, world } = market
  const trap = await tips(await world.reader(), postId, xno)
  await savesAddress(creator, trap.address)
  const { id, address } = await quotes(buyer, postId)
  await pays(address, price)
  await checkAddresses()
  deepEqual([(await reads(buyer, id)).status, (await reads(buyer, id)).payout.status], ['received', 'blocked'])
  const bound = await binds(creator, 'purchase', id, await saved(creator))
  deepEqual([bound.status, bound.body.errors[0].code], [422, 'not_allowed'])
  await savesAddress(creator, market.earnings.address)
  equal((await binds(creator, 'purchase', id, await saved(creator))).status, 200)
  await checkAddresses()
  equal(await market.earnings.receives(), net)
  await isClean(market)
})

/** A work server that has no work, and can take long for sends after a number of them. */
async function openWorkServer(t: TestContext) {
  let repliesLeft = Number.POSITIVE_INFINITY
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    const reply = () => void response.end('{"error":"not here"}')
    let body = ''
    request.setEncoding('utf8').on('data', (text) => {
      body += text
    })
    request.on('end', () => {
      const isSend = JSON.parse(body).difficulty === formatWork(workThresholds.dev.send)
      if (!isSend || repliesLeft > 0) reply()
      else waiting.push(reply)
      if (isSend) repliesLeft -= 1
    })
  }).listen(0, '127.0.0.1')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stopAfter(replies: number) {
      repliesLeft = replies
    },
    isStopped: () => waiting.length > 0,
    resume() {
      repliesLeft = Number.POSITIVE_INFINITY
      for (const reply of waiting.splice(0)) reply()
    },
  }
}

test('an order is paid as soon as its creator is, not after the work for the commission', async (t) => {
  const workServer = await openWorkServer(t)
  const market = await openMarket(t, { settings: { NANO_WORK_URL: workServer.url } })
  const { buyer, postId, pays, checkAddresses } = market
  const { id, address } = await quotes(buyer, postId)
  await pays(address, price)
  workServer.stopAfter(1)
  const checking = checkAddresses()
  await until('the work for the commission is requested', workServer.isStopped)
  await until('the order is paid', async () => (await reads(buyer, id)).status === 'paid', { withinMs: 10_000 })
  ok(workServer.isStopped())
  workServer.resume()
  await checking
  await isClean(market)
})
