import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { nanoAddress } from '@pennypost/nano/address'
import { WebSocket } from 'ws'
import { createFaultyNode } from '../../../test/faulty-node.ts'
import { openNanoNetwork, testLog } from '../../../test/nano-network.ts'
import { until } from '../../../test/until.ts'
import { type ConfirmedSend, openConfirmations } from './confirmations.ts'

const keyAddress = (number: number): string => {
  const key = Buffer.alloc(32)
  key.writeUInt32BE(number)
  return nanoAddress(key)
}

function listen(t: TestContext, url: string, maxWatched = 100_000) {
  const confirmations = openConfirmations({ url, log: testLog, shortestPauseMs: 5, maxWatched })
  t.after(() => confirmations.close())
  const reported: ConfirmedSend[] = []
  confirmations.onSend((send) => reported.push(send))
  return { confirmations, reported }
}

/**
 * Sends until one send is reported, because a subscription takes effect a moment after it was sent. Then waits for the last
 * one, so that no event is still on its way. Returns the last one's hash.
 */
async function untilReported(reported: readonly ConfirmedSend[], send: () => Promise<string>): Promise<string> {
  const before = reported.length
  let last = ''
  const isReportedAfterSend = async () => {
    last = await send()
    return reported.length > before
  }
  await until('a send is reported', isReportedAfterSend, { everyMs: 50 })
  await until('the last send is reported', () => reported.some(({ hash }) => hash === last))
  return last
}

test('a send to a watched address is reported, one to another address is not', async (t) => {
  const { wsUrl, faucet, wallet, untilConfirmed } = await openNanoNetwork(t)
  const { confirmations, reported } = listen(t, wsUrl)
  const [shop, later, stranger] = [wallet().address, wallet().address, wallet().address]
  confirmations.watch(shop)
  const hash = await untilReported(reported, () => faucet.send(shop, 5n))
  deepEqual(reported.at(-1), { hash, source: faucet.address, destination: shop })

  confirmations.watch(later)
  await untilReported(reported, () => faucet.send(later, 1n))
  equal(reported.at(-1)!.destination, later)
  const count = reported.length
  await untilConfirmed(await faucet.send(stranger, 1n))
  await untilReported(reported, () => faucet.send(shop, 1n))
  deepEqual(new Set(reported.slice(count).map(({ destination }) => destination)), new Set([shop]))
})

test('the oldest address is dropped when too many are watched', async (t) => {
  const { wsUrl, faucet, wallet, untilConfirmed } = await openNanoNetwork(t)
  const { confirmations, reported } = listen(t, wsUrl, 2)
  const [oldest, newer, newest] = [wallet().address, wallet().address, wallet().address]
  confirmations.watch(oldest)
  confirmations.watch(newer)
  for (const each of [oldest, newer]) await untilReported(reported, () => faucet.send(each, 1n))
  confirmations.watch(newest)
  const count = reported.length
  await untilConfirmed(await faucet.send(oldest, 1n))
  for (const each of [newer, newest]) await untilReported(reported, () => faucet.send(each, 1n))
  deepEqual(new Set(reported.slice(count).map(({ destination }) => destination)), new Set([newer, newest]))
})

test('thousands of addresses are sent to the node in several messages', async (t) => {
  const { wsUrl, faucet, wallet } = await openNanoNetwork(t)
  const { confirmations, reported } = listen(t, wsUrl)
  const [first, last] = [wallet().address, wallet().address]
  confirmations.watch(first)
  for (let number = 0; number < 11_000; number += 1) confirmations.watch(keyAddress(number))
  confirmations.watch(last)
  for (const each of [first, last]) await untilReported(reported, () => faucet.send(each, 1n))
})

test('after a lost connection it reconnects and subscribes to everything again', async (t) => {
  const network = await openNanoNetwork(t)
  const faultyNode = await createFaultyNode(t, network)
  const { confirmations, reported } = listen(t, faultyNode.wsUrl)
  const shops = [network.wallet().address, network.wallet().address]
  for (const shop of shops) confirmations.watch(shop)
  for (let cut = 0; cut < 2; cut += 1) {
    for (const shop of shops) await untilReported(reported, () => network.faucet.send(shop, 1n))
    faultyNode.cutWebsockets()
  }
  await untilReported(reported, () => network.faucet.send(shops[1]!, 1n))
})

test('duplicated, reordered and malformed events do no harm', async (t) => {
  const network = await openNanoNetwork(t)
  const faultyNode = await createFaultyNode(t, network)
  const { confirmations, reported } = listen(t, faultyNode.wsUrl)
  const shop = network.wallet().address
  confirmations.watch(shop)
  await untilReported(reported, () => network.faucet.send(shop, 1n))
  for (const fault of ['twice', 'swapped', 'garbage'] as const) {
    faultyNode.events(fault)
    const wanted = new Set([await network.faucet.send(shop, 1n), await network.faucet.send(shop, 1n)])
    await until(`all are reported: ${fault}`, () => areAllReported(reported, wanted))
  }
})

const areAllReported = (reported: readonly ConfirmedSend[], wanted: ReadonlySet<string>) =>
  [...wanted].every((hash) => reported.some((send) => send.hash === hash))

test('the ledger’s websocket behaves like a real node’s', async (t) => {
  const { wsUrl, faucet, wallet } = await openNanoNetwork(t)
  const socket = new WebSocket(wsUrl)
  t.after(() => socket.terminate())
  await once(socket, 'open')
  const replyTo = async (message: object) => {
    socket.send(JSON.stringify(message))
    const [data] = await once(socket, 'message')
    return JSON.parse(String(data))
  }
  const shop = wallet().address
  const { ack, id } = await replyTo({
    action: 'subscribe',
    topic: 'confirmation',
    ack: true,
    id: 's1',
    options: { accounts: [shop], include_block: 'true' },
  })
  deepEqual({ ack, id }, { ack: 'subscribe', id: 's1' })
  equal((await replyTo({ action: 'ping', id: 'p' })).ack, 'pong')
  const event = once(socket, 'message')
  const hash = await faucet.send(shop, 3n)
  const { topic, message } = JSON.parse(String((await event)[0]))
  equal(topic, 'confirmation')
  equal(message.hash, hash)
  equal(message.amount, '3')
  equal(message.account, faucet.address)
  equal(message.block.subtype, 'send')
  equal(message.block.link_as_account, shop)
  const closed = once(socket, 'close')
  socket.send('{')
  equal((await closed)[0], 1006, 'a message that is not JSON ends the connection')
})

test('without a websocket URL nothing is connected, and the process can exit', () => {
  const before = process.getActiveResourcesInfo().length
  const confirmations = openConfirmations({ url: undefined, log: testLog })
  const reported: ConfirmedSend[] = []
  confirmations.onSend((send) => reported.push(send))
  for (const number of [1, 2]) confirmations.watch(keyAddress(number))
  equal(process.getActiveResourcesInfo().length, before, 'no connection, and no timer for another try')
  confirmations.close()
  deepEqual(reported, [])
})
