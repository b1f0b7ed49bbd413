import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { auditLost } from '../audit/audit-lost.ts'
import { notesPayment } from './lost-payment.fixture.ts'
import { lostRecords, nameOf, recover } from './recover.ts'
import { knowsRuns, openShop, ordersOf, pays, runsOf } from './restore.fixture.ts'
import { setAside } from './set-aside.ts'
import { watchForLoss } from './watch-for-loss.ts'

const everyMs = 20

test('what was acknowledged and is in the database again counts as lost when it is lost once more', async (t) => {
  const shop = await openShop(t, 0)
  await shop.afterBackup(async (world) => {
    await pays(shop, await ordersOf(shop, world, [await world.reader()]))
    await shop.look(world)
  })
  await shop.afterRestore(async (world) => {
    equal((await recover(world.services, { isAcknowledging: true })).acknowledged, 1)
  })
  await shop.afterBackup(async (world) => {
    await recover(world.services)
  })
  await shop.afterRestore(async (world) => {
    const { unrecoverable, acknowledged } = await recover(world.services)
    deepEqual({ lost: unrecoverable.length, acknowledged }, { lost: 1, acknowledged: 0 })
  })
})

test('money that comes to an address after a person acknowledged what was lost there is named', async (t) => {
  const shop = await openShop(t, 0)
  let given: string[] = []
  let runs = ''
  await shop.afterBackup(async (world) => {
    given = await ordersOf(shop, world, [await world.reader()])
    await pays(shop, given)
    await shop.look(world)
    runs = await runsOf(world)
  })
  await shop.afterRestore(async (world) => {
    const { services } = world
    await knowsRuns(world, runs)
    await recover(services, { isAcknowledging: true })
    deepEqual(await auditLost(services), [])
    await pays(shop, given)
    const [finding, ...others] = await auditLost(services)
    match(finding!, new RegExp(`^\\d+ raw at ${given[0]} is not in the books`))
    deepEqual(others, [])
  })
})

test('two payments under one order have different names', async (t) => {
  const shop = await openShop(t, 1)
  await shop.afterBackup(async (world) => {
    await notesPayment(shop, world)
  })
  await shop.afterRestore(async (world) => {
    let count = 0
    for await (const record of lostRecords(world.services)) {
      if (!record.payment) continue
      count += 1
      const other = { ...record, payment: { ...record.payment, id: randomUUID() } }
      notEqual(nameOf(other), nameOf(record))
    }
    equal(count, 1)
  })
})

test('what is lost is noticed at the start, however many records were given up since', async (t) => {
  const shop = await openShop(t, 1)
  await shop.afterBackup(async (world) => {
    await ordersOf(shop, world, shop.buyers)
    const entries = Array.from({ length: 2_500 }, (_, index) => `address ${index}`)
    const state = 'acknowledged'
    await Promise.all(entries.map((name) => setAside(world.services, { setAside: name, state, reason: 'test' })))
    ok(world.services.journal.latest().some((record) => 'order' in record && record.order))
  })
  await shop.afterRestore(async (world) => {
    const watcher = watchForLoss(world.services, { everyMs })
    await watcher.stop()
    equal((await world.services.pool.query('SELECT FROM orders')).rowCount, 1)
  })
})
