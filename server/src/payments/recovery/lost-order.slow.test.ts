import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { auditLost } from '../audit/audit-lost.ts'
import { journalPayment } from './journal-record.ts'
import { paymentFor } from './lost-payment.fixture.ts'
import { recover } from './recover.ts'
import { openShop, ordersOf } from './restore.fixture.ts'

test('a payment whose order is lost for good goes back to its sender, needs no person, and stops no later recovery', async (t) => {
  const shop = await openShop(t, 1)
  const [known] = shop.buyers
  await shop.afterBackup(async (world) => {
    const [address] = await ordersOf(shop, world, [await world.reader()])
    const { rows } = await world.services.pool.query('SELECT id FROM orders')
    await journalPayment(world.services, paymentFor(shop.postId, rows[0].id, address!))
  })
  await shop.afterRestore(async (world) => {
    const { returning, unrecoverable } = await recover(world.services)
    deepEqual({ returning, unrecoverable }, { returning: 1, unrecoverable: [] })
    deepEqual(await auditLost(world.services), [])
  })
  await shop.afterBackup(async (world) => {
    await ordersOf(shop, world, [known!])
  })
  await shop.afterRestore(async (world) => {
    equal((await recover(world.services)).recovered, 1)
  })
})
