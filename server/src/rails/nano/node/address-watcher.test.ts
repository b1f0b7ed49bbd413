import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { movableClock, systemClock } from '../../../platform/clock.ts'
import { openNanoNetwork, testLog } from '../../../test/nano-network.ts'
import { createNodeDouble, type Fault } from '../../../test/node-double.ts'
import { until } from '../../../test/until.ts'
import { createAddressWatcher, nextLookAt, type WatchedAddress } from './address-watcher.ts'
import { openConfirmations } from './confirmations.ts'
import { createNodeClient } from './node-client.ts'
import { createRpcEndpoint } from './rpc-endpoint.ts'

const hour = 3_600_000
const day = 24 * hour

test('an open address is looked at within seconds, an expired one ever more rarely, none never', () => {
  const since = new Date('2026-01-01T00:00:00Z')
  const expiresAt = new Date(since.getTime() + hour)
  const pauseAfter = (ms: number) => {
    const now = new Date(since.getTime() + ms)
    return nextLookAt({ since, expiresAt }, now).getTime() - now.getTime()
  }
  const pauses = [0, hour / 2, hour, 2 * hour, 2 * day, 10 * day, 100 * day, 36_500 * day].map(pauseAfter)
  ok(pauses[0]! <= 5_000)
  ok(pauses[1]! <= 15_000)
  for (const [index, pause] of pauses.entries()) if (index > 0) ok(pause >= pauses[index - 1]!, String(index))
  ok(pauses.at(-1)! <= day)
})

async function setUp(t: TestContext) {
  const network = await openNanoNetwork(t)
  const double = await createNodeDouble(t, network)
  const clock = await movableClock()
  const endpoint = createRpcEndpoint({ url: double.rpcUrl, clock: systemClock(), log: testLog, timeoutMs: 2_000 })
  const confirmations = openConfirmations({ url: double.wsUrl, log: testLog, shortestPauseMs: 5 })
  const book = new Map<string, { watched: WatchedAddress; lookAt: Date }>()
  const told: { address: string; amounts: bigint[] | undefined }[] = []
  let refusals = 0
  let isNodeBehind = false
  const watcher = createAddressWatcher({
    client: createNodeClient([endpoint]),
    confirmations,
    clock,
    log: testLog,
    book: {
      listDue: async (now, most) =>
        [...book.values()]
          .filter(({ lookAt }) => lookAt <= now)
          .slice(0, most)
          .map(({ watched }) => watched),
      async lookAgain(looks) {
        for (const { address, at } of looks) book.set(address, { ...book.get(address)!, lookAt: at })
      },
      listNewest: async (most) => [...book.keys()].toReversed().slice(0, most),
    },
    async onPayment(address, found) {
      if (refusals > 0) {
        refusals -= 1
        throw new Error('the database is away')
      }
      told.push({ address, amounts: found?.map(({ amount }) => amount) })
      return !isNodeBehind
    },
  })
  t.after(async () => {
    await watcher.stop()
    confirmations.close()
  })
  const allocate = () => {
    const { address } = network.wallet()
    const watched = { address, since: clock.now(), expiresAt: new Date(clock.now().getTime() + hour), leastRaw: 10n }
    book.set(address, { watched, lookAt: clock.now() })
    return watched
  }
  const refuseOnce = () => {
    refusals = 1
  }
  /** The node that is asked shows nothing yet of what the websocket hinted at. */
  const fallBehind = () => {
    isNodeBehind = true
  }
  return { network, double, clock, book, told, watcher, allocate, refuseOnce, fallBehind }
}

test('a payment is found by looking, without any event, and dust is not', async (t) => {
  const { network, double, told, watcher, allocate } = await setUp(t)
  double.events('lost')
  const [paid, dusted, quiet] = [allocate().address, allocate().address, allocate().address]
  await network.untilConfirmed(await network.faucet.send(dusted, 9n))
  await network.untilConfirmed(await network.faucet.send(paid, 10n))
  equal(await watcher.lookAtDue(), 3)
  deepEqual(told, [{ address: paid, amounts: [10n] }])
  // Not due again before their time, whatever was found.
  equal(await watcher.lookAtDue(), 0)
  ok(quiet)
})

test('a payment years after the expiry is still found', async (t) => {
  const { network, double, clock, told, watcher, allocate } = await setUp(t)
  double.events('lost')
  const { address } = allocate()
  await watcher.lookAtDue()
  await clock.advance(800 * day)
  await network.untilConfirmed(await network.faucet.send(address, 11n))
  equal(await watcher.lookAtDue(), 1)
  deepEqual(told, [{ address, amounts: [11n] }])
  await clock.advance(day)
  equal(await watcher.lookAtDue(), 1)
})

test('a hundred addresses are one question, and so is each hundred more', async (t) => {
  const { double, watcher, allocate } = await setUp(t)
  double.events('lost')
  for (let count = 0; count < 150; count += 1) allocate()
  equal(await watcher.lookAtDue(), 100)
  equal(await watcher.lookAtDue(), 50)
  deepEqual(double.heard, ['accounts_receivable', 'accounts_receivable'])
})

test('a node that does not know the question, or answers it badly, is asked about each address alone', async (t) => {
  const { network, double, clock, told, watcher, allocate } = await setUp(t)
  double.events('lost')
  const addresses = [allocate().address, allocate().address, allocate().address]
  await network.untilConfirmed(await network.faucet.send(addresses[1]!, 10n))
  const stranger = network.wallet().address
  const answers: Fault[] = [
    () => ({ error: 'Unknown command' }),
    () => ({ error: 'RPC control is disabled' }),
    'garbage',
    'empty',
    () => ({ blocks: { [stranger]: { ['AB'.repeat(32)]: { amount: '10', source: stranger } } } }),
    () => ({ blocks: { [addresses[0]!]: { ['AB'.repeat(32)]: { amount: '9', source: stranger } } } }),
  ]
  for (const [index, answer] of answers.entries()) {
    double.always('accounts_receivable', answer)
    equal(await watcher.lookAtDue(), 3)
    deepEqual(told.slice(index), [{ address: addresses[1], amounts: [10n] }], String(answer))
    await clock.advance(30_000)
  }
  double.heal()
})

test('one address that fails does not hold up the others, and is looked at again soon', async (t) => {
  const { network, double, clock, told, watcher, allocate, refuseOnce } = await setUp(t)
  double.events('lost')
  const [first, second] = [allocate().address, allocate().address]
  for (const address of [first, second]) await network.untilConfirmed(await network.faucet.send(address, 10n))
  refuseOnce()
  await watcher.lookAtDue()
  equal(told.length, 1)
  equal(await watcher.lookAtDue(), 0)
  await clock.advance(30_000)
  await watcher.lookAtDue()
  deepEqual(new Set(told.map(({ address }) => address)), new Set([first, second]))
})

test('while the node is away everything stays due', async (t) => {
  const { network, double, told, watcher, allocate } = await setUp(t)
  double.events('lost')
  const { address } = allocate()
  for (let more = 0; more < 20; more += 1) allocate()
  await network.untilConfirmed(await network.faucet.send(address, 10n))
  double.always('*', 'drop')
  await watcher.lookAtDue()
  equal(await watcher.lookAtDue(), 21)
  double.heal()
  await until('all are looked at', async () => (await watcher.lookAtDue()) === 0, { everyMs: 50 })
  deepEqual(told, [{ address, amounts: [10n] }])
})

test('the websocket tells of a payment before the next look', async (t) => {
  const { network, told, watcher, allocate } = await setUp(t)
  const watched = allocate()
  await watcher.lookAtDue()
  watcher.watch(watched)
  const isTold = () => told.some(({ address, amounts }) => address === watched.address && amounts === undefined)
  const sendUntilTold = async () => {
    await network.faucet.send(watched.address, 10n)
    return isTold()
  }
  await until('the websocket tells of it', sendUntilTold, { everyMs: 50 })
  equal(await watcher.lookAtDue(), 0, 'no look was due')
})

test('money that comes after the expiry is told at once too; of what was given out before the start as well', async (t) => {
  const { network, clock, book, told, watcher, allocate } = await setUp(t)
  const before = allocate()
  await clock.advance(hour + 1000)
  const during = allocate()
  watcher.start()
  const sendUntilTold = async () => {
    await network.faucet.send(during.address, 10n)
    return told.some(({ address }) => address === during.address)
  }
  await until('the payment is told', sendUntilTold, { everyMs: 50 })
  await clock.advance(hour + 1000)
  const areFoundExpired = () =>
    [before, during].every(({ address }) => book.get(address)!.lookAt.getTime() - clock.now().getTime() > 30_000)
  await until('both are found expired, and not due again for a minute', areFoundExpired)
  told.length = 0
  for (const { address } of [before, during]) {
    await network.faucet.send(address, 10n)
    const isTold = () => told.some(({ address: heard, amounts }) => heard === address && amounts === undefined)
    await until('the websocket tells of late money', isTold)
  }
})

test('a hint about an old address that fails or shows nothing is followed by a look within seconds', async (t) => {
  const { network, clock, book, watcher, allocate, refuseOnce, fallBehind } = await setUp(t)
  for (const goWrong of [refuseOnce, fallBehind]) {
    const watched = allocate()
    watcher.watch(watched)
    await clock.advance(100 * day)
    await watcher.lookAtDue()
    const pause = () => book.get(watched.address)!.lookAt.getTime() - clock.now().getTime()
    ok(pause() > hour)
    goWrong()
    await until(
      'the next look is brought forward',
      async () => {
        await network.faucet.send(watched.address, 10n)
        return pause() < 5_000
      },
      { everyMs: 50 },
    )
  }
})

test('started, it looks by itself until it is stopped', async (t) => {
  const { network, double, told, watcher, allocate } = await setUp(t)
  double.events('lost')
  const { address } = allocate()
  await network.untilConfirmed(await network.faucet.send(address, 10n))
  watcher.start()
  await until('it looks', () => told.length > 0)
  await watcher.stop()
  const asked = double.heard.length
  allocate()
  await wait(30)
  equal(double.heard.length, asked)
})
