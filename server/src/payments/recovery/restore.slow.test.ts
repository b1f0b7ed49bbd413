import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { isRight, mayRead, openShop, ordersOf, pays } from './restore.fixture.ts'

test('a backup that misses 100 sales and 60 open quotes: no address again, every buyer reads, the audit is clean', async (t) => {
  const shop = await openShop(t, 160)
  const [bought, quoted] = [shop.buyers.slice(0, 100), shop.buyers.slice(100)]
  const given: string[] = []
  await shop.afterBackup(async (world) => {
    given.push(...(await ordersOf(shop, world, bought)))
    await pays(shop, given.slice(0, 90))
    await shop.look(world)
    // The last ten were paid while nobody looked.
    await pays(shop, given.slice(90))
    given.push(...(await ordersOf(shop, world, quoted)))
  })
  const { recovered, returning, unrecoverable } = await shop.recovers()
  deepEqual({ recovered, returning, unrecoverable }, { recovered: 160, returning: 0, unrecoverable: [] })
  await shop.afterRestore(async (world) => {
    for (const buyer of bought) equal(await mayRead(shop, world, buyer), true)
    const again = await ordersOf(shop, world, quoted)
    deepEqual(
      again.filter((address) => given.includes(address)),
      [],
    )
    // Half of the open quotes are paid at their old address.
    await pays(shop, given.slice(100, 130))
    await shop.look(world)
    for (const buyer of quoted.slice(0, 30)) equal(await mayRead(shop, world, buyer), true)
    await isRight(shop, world, 130)
  })
})
