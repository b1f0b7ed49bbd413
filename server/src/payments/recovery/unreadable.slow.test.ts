import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createFaultyNode, type FaultyNode } from '../../test/faulty-node.ts'
import { until } from '../../test/until.ts'
import type { World } from '../../test/world.ts'
import { auditLost } from '../audit/audit-lost.ts'
import { recover } from './recover.ts'
import {
  isRight,
  knowsRuns,
  mayRead,
  metricOf,
  openShop,
  ordersOf,
  pays,
  runsOf,
  type Shop,
} from './restore.fixture.ts'
import { watchForLoss } from './watch-for-loss.ts'

const everyMs = 20

const notFound = { error: 'Block not found' }

interface Reply {
  readonly block_account: string
  readonly subtype: string
  readonly amount: string
  readonly contents: { readonly link_as_account: string }
}
type Change = (reply: Reply, address: string) => unknown

const unreadable: Record<string, Change> = {
  'whose blocks were pruned': (reply, address) => (reply.block_account === address ? notFound : reply),
  'with too many blocks': (reply, address) => (reply.block_account === address ? { ...reply, height: '1001' } : reply),
  'that received from a block that was pruned': (reply, address) => (isFor(address, reply) ? notFound : reply),
  'that received from a block whose amount is unknown': (reply, address) =>
    isFor(address, reply) ? { ...reply, amount: undefined } : reply,
}
const isFor = (address: string, { subtype, contents }: Reply): boolean =>
  subtype === 'send' && contents.link_as_account === address

/** All buyers pay, and everything is paid out. Returns their addresses. */
async function sells(shop: Shop): Promise<string[]> {
  let given: string[] = []
  await shop.afterBackup(async (world) => {
    given = await ordersOf(shop, world, shop.buyers)
    await pays(shop, given)
    await shop.look(world)
  })
  return given
}

const waitingIn = (world: World) => metricOf(world, 'unrecoverable_records')
const readersOf = (shop: Shop, world: World) => Promise.all(shop.buyers.map((buyer) => mayRead(shop, world, buyer)))

for (const [what, change] of Object.entries(unreadable))
  test(`an address ${what} does not stop the recovery of others, and is recovered once a node shows it`, async (t) => {
    const shop = await openShop(t, 2)
    const node = await createFaultyNode(t, shop.network)
    const given = await sells(shop)
    node.always('block_info', (reply) => change(reply, given[0]!))
    await shop.afterRestore(
      async (world) => {
        const watcher = watchForLoss(world.services, { everyMs })
        await until('it waits for a person', async () => (await waitingIn(world)) === 1)
        deepEqual(await readersOf(shop, world), [false, true])
        node.heal()
        await until('it no longer waits', async () => (await waitingIn(world)) === 0)
        deepEqual(await readersOf(shop, world), [true, true])
        await watcher.stop()
        await isRight(shop, world, 2)
      },
      { NANO_RPC_URL: node.rpcUrl },
    )
  })

test('while a node is unreachable that may have the blocks, no person is asked', async (t) => {
  const shop = await openShop(t, 1)
  const [whole, pruned] = [await createFaultyNode(t, shop.network), await createFaultyNode(t, shop.network)]
  const given = await sells(shop)
  whole.always('*', 'drop')
  pruned.always('block_info', (reply) => unreadable['whose blocks were pruned']!(reply, given[0]!))
  await shop.afterRestore(
    async (world) => {
      const watcher = watchForLoss(world.services, { everyMs })
      const asked = () => pruned.requests.filter((action) => action === 'block_info').length
      await until('it tries again and again', async () => asked() >= 3)
      equal(await waitingIn(world), 0)
      deepEqual(await readersOf(shop, world), [false])
      whole.heal()
      await until('it is recovered', async () => (await readersOf(shop, world))[0]!)
      await watcher.stop()
      equal(await waitingIn(world), 0)
      await isRight(shop, world, 1)
    },
    { NANO_RPC_URL: `${whole.rpcUrl},${pruned.rpcUrl}` },
  )
})

/** A sale of which money is left at its address, because the author could not be paid before the loss. */
async function sellsUnpaid(t: TestContext): Promise<{ shop: Shop; node: FaultyNode; address: string; runs: string }> {
  const shop = await openShop(t, 1)
  const node = await createFaultyNode(t, shop.network)
  let [address, runs] = ['', '']
  // It receives, and sends nothing.
  node.next('process', (reply) => reply)
  node.always('process', 'bad-gateway')
  await shop.afterBackup(
    async (world) => {
      const [given] = await ordersOf(shop, world, shop.buyers)
      address = given!
      await pays(shop, [address])
      await shop.look(world)
      runs = await runsOf(world)
    },
    { NANO_RPC_URL: node.rpcUrl },
  )
  const { balance } = (await shop.network.client.balancesOfMany([address])).get(address)!
  ok(balance > 0n)
  node.heal()
  return { shop, node, address, runs }
}

test('money at an address that cannot be read for a moment is not sent back', async (t) => {
  const { shop, node, address, runs } = await sellsUnpaid(t)
  await shop.afterRestore(
    async (world) => {
      await knowsRuns(world, runs)
      let isFirst = true
      node.always('block_info', (reply) => {
        if (!isFirst || reply.block_account !== address) return reply
        isFirst = false
        return notFound
      })
      const { recovered, returning, unrecoverable } = await recover(world.services)
      deepEqual({ recovered, returning, waiting: unrecoverable.length }, { recovered: 0, returning: 0, waiting: 1 })
      equal((await recover(world.services)).recovered, 1)
      await shop.look(world)
      deepEqual(await readersOf(shop, world), [true])
      await isRight(shop, world, 1)
    },
    { NANO_RPC_URL: node.rpcUrl },
  )
})

test('a person acknowledges an address that cannot be read, and its money, and it is recovered later', async (t) => {
  const { shop, node, address, runs } = await sellsUnpaid(t)
  await shop.afterRestore(
    async (world) => {
      await knowsRuns(world, runs)
      node.always('block_info', (reply) => unreadable['whose blocks were pruned']!(reply, address))
      const { acknowledged, returning } = await recover(world.services, { isAcknowledging: true })
      deepEqual({ acknowledged, returning }, { acknowledged: 2, returning: 0 })
      deepEqual(await auditLost(world.services), [])
      node.heal()
      equal((await recover(world.services)).recovered, 1)
      await shop.look(world)
      deepEqual(await readersOf(shop, world), [true])
      await isRight(shop, world, 1)
    },
    { NANO_RPC_URL: node.rpcUrl },
  )
})
