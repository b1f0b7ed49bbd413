import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { folderFor } from '../../test/service-process.ts'
import { until } from '../../test/until.ts'
import { auditLost } from '../audit/audit-lost.ts'
import { price } from '../market.fixture.ts'
import { sweepCommission } from '../payouts/sweep-commission.job.ts'
import { recover } from './recover.ts'
import { isRight, mayRead, openShop, ordersOf, pays } from './restore.fixture.ts'
import { watchForLoss } from './watch-for-loss.ts'

test('after a restore every buyer reads, nothing is sent twice, and no address is given out again', async (t) => {
  const shop = await openShop(t, 4)
  const [first, second, third, fourth] = shop.buyers
  let given: string[] = []
  let run = { started: 0, slot: 0 }
  await shop.afterBackup(async (world) => {
    run = world.services.addressRun
    given = await ordersOf(shop, world, shop.buyers)
    // Bought and paid out; paid, and never seen; only quoted.
    await pays(shop, given.slice(0, 2))
    await shop.look(world)
    ok(await mayRead(shop, world, first!))
    await pays(shop, given.slice(2, 3))
  })
  await shop.afterRestore(async (world) => {
    equal(await mayRead(shop, world, first!), false)
    equal((await auditLost(world.services)).length, 4)
    // As if the same process had run when the backup was made: what is at its addresses is on the chain and in the journal.
    const { started, slot } = run
    await world.services.pool.query('INSERT INTO nano_address_runs (started, slot) VALUES ($1, $2)', [started, slot])
    const dry: string[] = []
    await recover(world.services, { isDryRun: true, onLine: (line) => dry.push(line) })
    equal(dry.length, 4)
    match(dry[0]!, /^lost: purchase /)

    const { recovered, returning, unrecoverable } = await recover(world.services)
    deepEqual({ recovered, returning, unrecoverable }, { recovered: 4, returning: 0, unrecoverable: [] })
    deepEqual((await recover(world.services)).recovered, 0)
    await world.runJobs()
    for (const buyer of [first, second, third]) ok(await mayRead(shop, world, buyer!))
    equal(await mayRead(shop, world, fourth!), false)
    // The open quote is still good.
    await pays(shop, given.slice(3))
    await shop.look(world)
    ok(await mayRead(shop, world, fourth!))
    const stranger = await world.reader()
    const again = await ordersOf(shop, world, [stranger])
    equal(given.includes(again[0]!), false)
    await isRight(shop, world, 4)
  })
})

test('a purchase is not late because the restore took days', async (t) => {
  const shop = await openShop(t, 2)
  await shop.afterBackup(async (world) => {
    const given = await ordersOf(shop, world, shop.buyers)
    await pays(shop, given.slice(0, 1))
    await shop.look(world)
    await pays(shop, given.slice(1))
  })
  await shop.afterRestore(async (world) => {
    await world.advance(3 * 86_400)
    const { recovered, unrecoverable } = await recover(world.services)
    deepEqual({ recovered, unrecoverable }, { recovered: 2, unrecoverable: [] })
    await world.runJobs()
    const { rows } = await world.services.pool.query('SELECT account_id FROM entitlements')
    deepEqual(rows.map((row) => row.account_id).sort(), shop.buyers.map(({ accountId }) => accountId).sort())
    await isRight(shop, world, 2)
  })
})

test('a running service notices that its database was set back, and brings back what it lost', async (t) => {
  const shop = await openShop(t, 1)
  await shop.afterBackup(async (world) => {
    await pays(shop, await ordersOf(shop, world, shop.buyers))
  })
  await shop.afterRestore(async (world) => {
    const watcher = watchForLoss(world.services)
    await until('the buyer reads', () => mayRead(shop, world, shop.buyers[0]!))
    await watcher.stop()
    match(await world.services.metrics.text(), /^pennypost_database_loss_timestamp_seconds [1-9]/m)
    await world.runJobs()
    await isRight(shop, world, 1)
  })
})

test('commission that was sent after the backup is found, though the service would have it wait for its sweep', async (t) => {
  const shop = await openShop(t, 1)
  await shop.afterBackup(async (world) => {
    await pays(shop, await ordersOf(shop, world, shop.buyers))
    await shop.look(world)
  })
  await shop.afterRestore(
    async (world) => {
      const { recovered, unrecoverable } = await recover(world.services)
      deepEqual({ recovered, unrecoverable }, { recovered: 1, unrecoverable: [] })
      await world.runJobs()
      await isRight(shop, world, 1)
    },
    { COMMISSION_SWEEP_HOUR: '3' },
  )
})

test('after a restore between a sale and its sweep, the same commission is sent before what comes late goes back', async (t) => {
  const shop = await openShop(t, 1)
  const settings = { COMMISSION_SWEEP_HOUR: '3' }
  let given: string[] = []
  await shop.afterBackup(async (world) => {
    given = await ordersOf(shop, world, shop.buyers)
    await pays(shop, given)
    await shop.look(world)
  }, settings)
  await shop.backsUp()
  // Without the setting, what waits is sent.
  await shop.afterBackup((world) => sweepCommission.run(world.services, {}))
  await shop.afterRestore(async (world) => {
    await recover(world.services)
    await pays(shop, given)
    await shop.look(world)
    const { rows } = await world.services.pool.query('SELECT role, state FROM payouts ORDER BY role')
    deepEqual(
      rows,
      ['creator', 'house', 'refund'].map((role) => ({ role, state: 'confirmed' })),
    )
    await isRight(shop, world, 1)
  }, settings)
})

test('where only the seed is left, money goes back to its sender', async (t) => {
  const shop = await openShop(t, 3)
  const since = new Date()
  await shop.afterBackup(async (world) => {
    const given = await ordersOf(shop, world, shop.buyers)
    await pays(shop, given.slice(1))
  })
  await shop.afterRestore(
    async (world) => {
      const { recovered, returning, unrecoverable } = await recover(world.services, { since })
      deepEqual({ recovered, returning, unrecoverable }, { recovered: 0, returning: 2, unrecoverable: [] })
      await world.runJobs()
      await isRight(shop, world, 0)
    },
    { DATA_DIR: await folderFor(t) },
  )
  equal(await shop.wallet.receives(), 2n * price)
})
