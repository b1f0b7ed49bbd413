import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { folderFor } from '../../test/service-process.ts'
import { recover } from './recover.ts'
import { openShop, ordersOf, pays } from './restore.fixture.ts'

test('an address is not given out again by a process that does not know of the restore', async (t) => {
  const shop = await openShop(t, 3)
  let given: string[] = []
  await shop.afterBackup(async (world) => {
    given = await ordersOf(shop, world, shop.buyers)
  })
  await shop.afterRestore(
    async (world) => {
      const again = await ordersOf(shop, world, shop.buyers)
      deepEqual(
        again.filter((address) => given.includes(address)),
        [],
      )
    },
    { DATA_DIR: await folderFor(t) },
  )
})

test('money of a buyer whom the restored database does not know goes back, unless it was paid out', async (t) => {
  const shop = await openShop(t, 0)
  let given: string[] = []
  await shop.afterBackup(async (world) => {
    const [one, two] = [await world.reader(), await world.reader()]
    given = await ordersOf(shop, world, [one, two])
    await pays(shop, given.slice(0, 1))
    await shop.look(world)
    await pays(shop, given.slice(1))
  })
  await shop.afterRestore(async (world) => {
    const { recovered, returning, unrecoverable } = await recover(world.services)
    deepEqual({ recovered, returning }, { recovered: 0, returning: 1 })
    match(unrecoverable.join(), /was paid and paid out for order .*, whose people are not known/)
    await world.runJobs()
  })
})
