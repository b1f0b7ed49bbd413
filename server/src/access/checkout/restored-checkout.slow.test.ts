import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { getCheckout } from '@pennypost/contract/checkout'
import { recover } from '../../payments/recovery/recover.ts'
import { isRight, openShop, pays } from '../../payments/recovery/restore.fixture.ts'
import { nextAddress, Person } from '../../test/person.ts'
import type { World } from '../../test/world.ts'
import { startsNano } from './nano-checkout.fixture.ts'

test('after a restore the orders of guests are there again for the holders of their credentials', async (t) => {
  const shop = await openShop(t, 0)
  const started: { id: string; credential: string; address: string }[] = []
  await shop.afterBackup(async (world) => {
    for (let count = 0; count < 3; count += 1) {
      const { id, address, body } = await startsNano({ world, postId: shop.postId })
      started.push({ id, address, credential: body.checkoutCredential })
    }
    // One was sold and paid out, one was paid while nobody looked, one is still open.
    await pays(shop, [started[0]!.address])
    await shop.look(world)
    await pays(shop, [started[1]!.address])
  })
  const [sold, paid, open] = started as [(typeof started)[0], (typeof started)[0], (typeof started)[0]]
  const reads = async (world: World, { id, credential }: typeof sold) =>
    (await new Person(world, nextAddress(), credential).calls(getCheckout, { params: { checkoutId: id } })).body
  await shop.afterRestore(async (world) => {
    const { recovered, returning, unrecoverable } = await recover(world.services)
    deepEqual({ recovered, returning, unrecoverable }, { recovered: 3, returning: 0, unrecoverable: [] })
    await shop.look(world)
    for (const checkout of [sold, paid]) {
      const { session } = await reads(world, checkout)
      const guest = new Person(world, nextAddress(), session.accessToken)
      equal((await guest.calls(getAccess, { params: { postId: shop.postId } })).status, 200)
    }
    equal((await reads(world, open)).checkout.status, 'open')
    await pays(shop, [open.address])
    await shop.look(world)
    equal((await reads(world, open)).checkout.status, 'paid')
    await isRight(shop, world, 3)
  })
})
