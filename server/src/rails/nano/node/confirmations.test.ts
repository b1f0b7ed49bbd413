import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { nanoAddress } from '@pennypost/nano/address'
import { WebSocket } from 'ws'
import { openNanoNetwork, testLog } from '../../../test/nano-network.ts'
import { createNodeDouble } from '../../../test/node-double.ts'
import { until } from '../../../test/until.ts'
import { type ConfirmedSend, openConfirmations } from './confirmations.ts'

const keyAddress = (number: number): string => {
  const key = Buffer.alloc(32)
  key.writeUInt32BE(number)
  return nanoAddress(key)
}

function listen(t: TestContext, url: string, mostWatched = 100_000) {
  const confirmations = openConfirmations({ url, log: testLog, shortestPauseMs: 5, mostWatched })
  t.after(() => confirmations.close())
  const heard: ConfirmedSend[] = []
  confirmations.onSend((send) => heard.push(send))
  return { confirmations, heard }
}

/**
 * A subscription takes effect a moment after it was sent: sends until one is heard, then waits for the last one, so that
 * no event is left on its way. Returns the last one's hash.
 */
async function untilHeard(heard: readonly ConfirmedSend[], send: () => Promise<string>): Promise<string> {
  const before = heard.length
  let last = ''
  const isHeardAfterSend = async () => {
    last = await send()
    return heard.length > before
  }
  await until('a send is heard', isHeardAfterSend, { everyMs: 50 })
  await until('the last send is heard', () => heard.some(({ hash }) => hash === last))
  return last
}

test('a send to a watched address is told, one to another is not', async (t) => {
  const { wsUrl, faucet, wallet, untilConfirmed } = await openNanoNetwork(t)
  const { confirmations, heard } = listen(t, wsUrl)
  const [shop, later, stranger] = [wallet().address, wallet().address, wallet().address]
  confirmations.watch(shop)
  const hash = await untilHeard(heard, () => faucet.send(shop, 5n))
  deepEqual(heard.at(-1), { hash, source: faucet.address, destination: shop })

  confirmations.watch(later)
  await untilHeard(heard, () => faucet.send(later, 1n))
  equal(heard.at(-1)!.destination, later)
  const count = heard.length
  await untilConfirmed(await faucet.send(stranger, 1n))
  await untilHeard(heard, () => faucet.send(shop, 1n))
  deepEqual(new Set(heard.slice(count).map(({ destination }) => destination)), new Set([shop]))
})

test('the oldest makes way where too many are watched', async (t) => {
  const { wsUrl, faucet, wallet, untilConfirmed } = await openNanoNetwork(t)
  const { confirmations, heard } = listen(t, wsUrl, 2)
  const [oldest, newer, newest] = [wallet().address, wallet().address, wallet().address]
  confirmations.watch(oldest)
  confirmations.watch(newer)
  for (const each of [oldest, newer]) await untilHeard(heard, () => faucet.send(each, 1n))
  confirmations.watch(newest)
  const count = heard.length
  await untilConfirmed(await faucet.send(oldest, 1n))
  for (const each of [newer, newest]) await untilHeard(heard, () => faucet.send(each, 1n))
  deepEqual(new Set(heard.slice(count).map(({ destination }) => destination)), new Set([newer, newest]))
})

test('thousands are told to a node in several messages', async (t) => {
  const { wsUrl, faucet, wallet } = await openNanoNetwork(t)
  const { confirmations, heard } = listen(t, wsUrl)
  const [first, last] = [wallet().address, wallet().address]
  confirmations.watch(first)
  for (let number = 0; number < 11_000; number += 1) confirmations.watch(keyAddress(number))
  confirmations.watch(last)
  for (const each of [first, last]) await untilHeard(heard, () => faucet.send(each, 1n))
})

test('after a lost connection it is there again, with everything that is watched', async (t) => {
  const network = await openNanoNetwork(t)
  const double = await createNodeDouble(t, network)
  const { confirmations, heard } = listen(t, double.wsUrl)
  const shops = [network.wallet().address, network.wallet().address]
  for (const shop of shops) confirmations.watch(shop)
  for (let cut = 0; cut < 2; cut += 1) {
    for (const shop of shops) await untilHeard(heard, () => network.faucet.send(shop, 1n))
    double.cutWebsockets()
  }
  await untilHeard(heard, () => network.faucet.send(shops[1]!, 1n))
})

test('events that are doubled, out of order or garbage do no harm', async (t) => {
  const network = await openNanoNetwork(t)
  const double = await createNodeDouble(t, network)
  const { confirmations, heard } = listen(t, double.wsUrl)
  const shop = network.wallet().address
  confirmations.watch(shop)
  await untilHeard(heard, () => network.faucet.send(shop, 1n))
  for (const fault of ['twice', 'swapped', 'garbage'] as const) {
    double.events(fault)
    const wanted = new Set([await network.faucet.send(shop, 1n), await network.faucet.send(shop, 1n)])
    await until(`all are heard: ${fault}`, () => isAllHeard(heard, wanted))
  }
})

const isAllHeard = (heard: readonly ConfirmedSend[], wanted: ReadonlySet<string>) =>
  [...wanted].every((hash) => heard.some((send) => send.hash === hash))

test('the ledger’s websocket speaks as a node’s', async (t) => {
  const { wsUrl, faucet, wallet } = await openNanoNetwork(t)
  const socket = new WebSocket(wsUrl)
  t.after(() => socket.terminate())
  await once(socket, 'open')
  const answer = async (message: object) => {
    socket.send(JSON.stringify(message))
    const [data] = await once(socket, 'message')
    return JSON.parse(String(data))
  }
  const shop = wallet().address
  const { ack, id } = await answer({
    action: 'subscribe',
    topic: 'confirmation',
    ack: true,
    id: 's1',
    options: { accounts: [shop], include_block: 'true' },
  })
  deepEqual({ ack, id }, { ack: 'subscribe', id: 's1' })
  equal((await answer({ action: 'ping', id: 'p' })).ack, 'pong')
  socket.send('{')
  socket.send('[]')
  const event = once(socket, 'message')
  const hash = await faucet.send(shop, 3n)
  const { topic, message } = JSON.parse(String((await event)[0]))
  equal(topic, 'confirmation')
  equal(message.hash, hash)
  equal(message.amount, '3')
  equal(message.account, faucet.address)
  equal(message.block.subtype, 'send')
  equal(message.block.link_as_account, shop)
})

test('a node without a websocket is never connected to, and the process can end', () => {
  const before = process.getActiveResourcesInfo().length
  const confirmations = openConfirmations({ url: undefined, log: testLog })
  const heard: ConfirmedSend[] = []
  confirmations.onSend((send) => heard.push(send))
  for (const number of [1, 2]) confirmations.watch(keyAddress(number))
  equal(process.getActiveResourcesInfo().length, before, 'no connection, and no timer for another try')
  confirmations.close()
  deepEqual(heard, [])
})
