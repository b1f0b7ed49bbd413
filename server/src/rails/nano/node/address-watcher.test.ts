import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { movableClock, systemClock } from '../../../platform/clock.ts'
import { createFaultyNode, type Fault } from '../../../test/faulty-node.ts'
import { openNanoNetwork, testLog } from '../../../test/nano-network.ts'
import { until } from '../../../test/until.ts'
import { createAddressWatcher, nextCheckAt, type WatchedAddress } from './address-watcher.ts'
import { openConfirmations } from './confirmations.ts'
import { createNodeClient } from './node-client.ts'
import { createRpcEndpoint } from './rpc-endpoint.ts'

const hour = 3_600_000
const day = 24 * hour
const never = new Date(8.64e15)

const since = new Date('2026-01-01T00:00:00Z')
const expiresAt = new Date(since.getTime() + hour)

/** The pauses before the next checks at these ages of an address, and how many checks there are in all. */
function scheduleOf({ paidAfter, isReported }: { paidAfter?: number; isReported: boolean }) {
  const paidAt = paidAfter === undefined ? null : new Date(since.getTime() + paidAfter)
  const next = (ms: number) => {
    const now = new Date(since.getTime() + ms)
    const isPaidNow = paidAt && now >= paidAt ? paidAt : null
    const at = nextCheckAt({ since, expiresAt, paidAt: isPaidNow }, now, { isReported, watchDays: 30 })
    return at && at.getTime() - now.getTime()
  }
  let checks = 0
  for (let ms: number = 0, pause = next(0); pause !== null; ms += pause, pause = next(ms)) checks += 1
  return { checks, pausesAt: (...ages: number[]) => ages.map(next) }
}

test('an open address is checked within seconds without a websocket, and every half minute with one', () => {
  const polled = scheduleOf({ isReported: false }).pausesAt(0, hour / 2)
  ok(polled[0]! <= 5_000)
  ok(polled[1]! <= 15_000)
  deepEqual(scheduleOf({ isReported: true }).pausesAt(0, hour / 2), [30_000, 30_000])
})

test('an expired address is checked less and less often, and after some days only on request', () => {
  const { checks, pausesAt } = scheduleOf({ isReported: true })
  const pauses = pausesAt(0, hour, 2 * hour, 2 * day, 10 * day)
  for (const [index, pause] of pauses.entries()) if (index > 0) ok(pause! >= pauses[index - 1]!, String(index))
  ok(pauses.at(-1)! <= day)
  deepEqual(pausesAt(31 * day, 36_500 * day), [null, null])
  ok(checks < 400, String(checks))
})

test('a paid address is checked rarely, and after some days only on request', () => {
  const { checks, pausesAt } = scheduleOf({ paidAfter: 60_000, isReported: true })
  deepEqual(pausesAt(60_000, hour, 2 * day, 31 * day), [hour, hour, day, null])
  ok(checks < 60, String(checks))
})

async function setUp(t: TestContext) {
  const network = await openNanoNetwork(t)
  const faultyNode = await createFaultyNode(t, network)
  const clock = await movableClock()
  const endpoint = createRpcEndpoint({ url: faultyNode.rpcUrl, clock: systemClock(), log: testLog, timeoutMs: 2_000 })
  const confirmations = openConfirmations({ url: faultyNode.wsUrl, log: testLog, shortestPauseMs: 5 })
  const book = new Map<string, { watched: WatchedAddress; checkAt: Date }>()
  const payments: { address: string; amounts: bigint[] | undefined }[] = []
  let refusals = 0
  let isNodeBehind = false
  const watcher = createAddressWatcher({
    client: createNodeClient([endpoint]),
    confirmations,
    clock,
    log: testLog,
    watchDays: 30,
    book: {
      listDue: async (now, most) =>
        [...book.values()]
          .filter(({ checkAt }) => checkAt <= now)
          .slice(0, most)
          .map(({ watched }) => watched),
      async scheduleChecks(checks) {
        for (const { address, at } of checks) book.set(address, { ...book.get(address)!, checkAt: at ?? never })
      },
      async bringForward(now, withinMs) {
        for (const entry of book.values())
          if (entry.checkAt > now && entry.checkAt.getTime() <= now.getTime() + withinMs) entry.checkAt = now
      },
      listNewest: async (most) => [...book.keys()].toReversed().slice(0, most),
    },
    async onPayment(address, found) {
      if (refusals > 0) {
        refusals -= 1
        throw new Error('the database is away')
      }
      payments.push({ address, amounts: found?.map(({ amount }) => amount) })
      return !isNodeBehind
    },
  })
  t.after(async () => {
    await watcher.stop()
    confirmations.close()
  })
  const allocate = () => {
    const { address } = network.wallet()
    const watched = {
      address,
      since: clock.now(),
      expiresAt: new Date(clock.now().getTime() + hour),
      paidAt: null,
      leastRaw: 10n,
    }
    book.set(address, { watched, checkAt: clock.now() })
    return watched
  }
  const refuseOnce = () => {
    refusals = 1
  }
  /** The node does not show the payment yet that the websocket reported. */
  const fallBehind = () => {
    isNodeBehind = true
  }
  return { network, faultyNode, clock, book, payments, watcher, allocate, refuseOnce, fallBehind }
}

test('polling finds a payment without any event, and ignores dust', async (t) => {
  const { network, faultyNode, payments, watcher, allocate } = await setUp(t)
  faultyNode.events('lost')
  const [paid, dusted, quiet] = [allocate().address, allocate().address, allocate().address]
  await network.untilConfirmed(await network.faucet.send(dusted, 9n))
  await network.untilConfirmed(await network.faucet.send(paid, 10n))
  equal(await watcher.checkDue(), 3)
  deepEqual(payments, [{ address: paid, amounts: [10n] }])
  // They are not due again early, whatever was found.
  equal(await watcher.checkDue(), 0)
  ok(quiet)
})

test('a payment weeks after the expiry is still found; after that on request', async (t) => {
  const { network, faultyNode, clock, book, payments, watcher, allocate } = await setUp(t)
  faultyNode.events('lost')
  const { address } = allocate()
  await watcher.checkDue()
  await clock.advance(29 * day)
  await network.untilConfirmed(await network.faucet.send(address, 11n))
  equal(await watcher.checkDue(), 1)
  deepEqual(payments, [{ address, amounts: [11n] }])
  await clock.advance(3 * day)
  equal(await watcher.checkDue(), 1)
  await clock.advance(800 * day)
  equal(await watcher.checkDue(), 0)
  book.set(address, { ...book.get(address)!, checkAt: clock.now() })
  equal(await watcher.checkDue(), 1)
  equal(payments.length, 3)
})

test('addresses are checked a hundred per request', async (t) => {
  const { faultyNode, watcher, allocate } = await setUp(t)
  faultyNode.events('lost')
  for (let count = 0; count < 150; count += 1) allocate()
  equal(await watcher.checkDue(), 100)
  equal(await watcher.checkDue(), 50)
  deepEqual(faultyNode.requests, ['accounts_receivable', 'accounts_receivable'])
})

test('if a node does not support the request or replies badly, each address is requested alone', async (t) => {
  const { network, faultyNode, clock, payments, watcher, allocate } = await setUp(t)
  faultyNode.events('lost')
  const addresses = [allocate().address, allocate().address, allocate().address]
  await network.untilConfirmed(await network.faucet.send(addresses[1]!, 10n))
  const stranger = network.wallet().address
  const faults: Fault[] = [
    () => ({ error: 'Unknown command' }),
    () => ({ error: 'RPC control is disabled' }),
    'garbage',
    'empty',
    () => ({ blocks: { [stranger]: { ['AB'.repeat(32)]: { amount: '10', source: stranger } } } }),
    () => ({ blocks: { [addresses[0]!]: { ['AB'.repeat(32)]: { amount: '9', source: stranger } } } }),
  ]
  for (const [index, fault] of faults.entries()) {
    faultyNode.always('accounts_receivable', fault)
    equal(await watcher.checkDue(), 3)
    deepEqual(payments.slice(index), [{ address: addresses[1], amounts: [10n] }], String(fault))
    await clock.advance(30_000)
  }
  faultyNode.heal()
})

test('one address that fails does not hold up the others, and is checked again soon', async (t) => {
  const { network, faultyNode, clock, payments, watcher, allocate, refuseOnce } = await setUp(t)
  faultyNode.events('lost')
  const [first, second] = [allocate().address, allocate().address]
  for (const address of [first, second]) await network.untilConfirmed(await network.faucet.send(address, 10n))
  refuseOnce()
  await watcher.checkDue()
  equal(payments.length, 1)
  equal(await watcher.checkDue(), 0)
  await clock.advance(30_000)
  await watcher.checkDue()
  deepEqual(new Set(payments.map(({ address }) => address)), new Set([first, second]))
})

test('while the node is unreachable, everything stays due', async (t) => {
  const { network, faultyNode, payments, watcher, allocate } = await setUp(t)
  faultyNode.events('lost')
  const { address } = allocate()
  for (let more = 0; more < 20; more += 1) allocate()
  await network.untilConfirmed(await network.faucet.send(address, 10n))
  faultyNode.always('*', 'drop')
  await watcher.checkDue()
  equal(await watcher.checkDue(), 21)
  faultyNode.heal()
  await until('all are checked', async () => (await watcher.checkDue()) === 0, { everyMs: 50 })
  deepEqual(payments, [{ address, amounts: [10n] }])
})

test('the websocket reports a payment before the next check', async (t) => {
  const { network, payments, watcher, allocate } = await setUp(t)
  const watched = allocate()
  await watcher.checkDue()
  watcher.watch(watched)
  const isReported = () => payments.some(({ address, amounts }) => address === watched.address && amounts === undefined)
  const sendUntilReported = async () => {
    await network.faucet.send(watched.address, 10n)
    return isReported()
  }
  await until('the websocket reports it', sendUntilReported, { everyMs: 50 })
  equal(await watcher.checkDue(), 0, 'no check was due')
})

test('late payments are reported immediately too, also for addresses given out before the start', async (t) => {
  const { network, clock, book, payments, watcher, allocate } = await setUp(t)
  const before = allocate()
  await clock.advance(hour + 1000)
  const during = allocate()
  watcher.start()
  const sendUntilReported = async () => {
    await network.faucet.send(during.address, 10n)
    return payments.some(({ address }) => address === during.address)
  }
  await until('the payment is reported', sendUntilReported, { everyMs: 50 })
  await clock.advance(hour + 1000)
  const areFoundExpired = () =>
    [before, during].every(({ address }) => book.get(address)!.checkAt.getTime() - clock.now().getTime() > 30_000)
  await until('both have expired and are not due again for a minute', areFoundExpired)
  payments.length = 0
  for (const { address } of [before, during]) {
    await network.faucet.send(address, 10n)
    const isReported = () =>
      payments.some(({ address: reported, amounts }) => reported === address && amounts === undefined)
    await until('the websocket reports late money', isReported)
  }
})

test('after a hint that fails or shows nothing, an old address is checked again within seconds', async (t) => {
  const { network, clock, book, watcher, allocate, refuseOnce, fallBehind } = await setUp(t)
  for (const goWrong of [refuseOnce, fallBehind]) {
    const watched = allocate()
    watcher.watch(watched)
    await clock.advance(100 * day)
    await watcher.checkDue()
    const pause = () => book.get(watched.address)!.checkAt.getTime() - clock.now().getTime()
    ok(pause() > hour)
    goWrong()
    await until(
      'the next check is brought forward',
      async () => {
        await network.faucet.send(watched.address, 10n)
        return pause() < 5_000
      },
      { everyMs: 50 },
    )
  }
})

test('after the websocket has reconnected, open and recently expired addresses are checked right away', async (t) => {
  const { network, faultyNode, clock, book, payments, watcher, allocate } = await setUp(t)
  const watched = allocate()
  const { address } = watched
  watcher.watch(watched)
  watcher.start()
  await clock.advance(hour + 1000)
  const pause = () => book.get(address)!.checkAt.getTime() - clock.now().getTime()
  await until('it is not due again for a minute', () => pause() > 30_000)
  // While the connection is lost, the payment is not reported.
  faultyNode.events('lost')
  await network.untilConfirmed(await network.faucet.send(address, 10n))
  faultyNode.cutWebsockets()
  await until('the payment is found', () => payments.length > 0, { withinMs: 20_000 })
  deepEqual(payments[0], { address, amounts: [10n] })
})

test('once started, it keeps checking until it is stopped', async (t) => {
  const { network, faultyNode, payments, watcher, allocate } = await setUp(t)
  faultyNode.events('lost')
  const { address } = allocate()
  await network.untilConfirmed(await network.faucet.send(address, 10n))
  watcher.start()
  await until('it checks', () => payments.length > 0)
  await watcher.stop()
  const asked = faultyNode.requests.length
  await network.untilConfirmed(await network.faucet.send(allocate().address, 10n))
  equal(faultyNode.requests.length, asked)
})
