import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { getHandleAvailability } from '@pennypost/contract/profiles'
import { emptiedWorld, sharedWorld, type World } from '../test/world.ts'
import { patch, read, refused } from './patch-profile.fixture.ts'

const makeGuest = (world: World, accountId: string) =>
  world.services.db.updateTable('accounts').set({ is_anonymous: true }).where('id', '=', accountId).execute()

test('a handle has 4 to 30 ASCII letters, digits and underscores, and is kept as it was written', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  for (const handle of [
    'abc',
    'a'.repeat(31),
    '@ada',
    'ada lovelace',
    'ada-l',
    'adä_l',
    'ａｄａｌ',
    'ada\n1',
    ' adal',
    '',
  ])
    await refused(publisher, { handle }, 'handle')
  for (const handle of ['aB_9', 'Z'.repeat(30), '____', '0000'])
    equal((await patch(publisher, { handle })).body.handle, handle)
})

test('reserved handles and the prefix user_ are refused in any case', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  for (const handle of ['admin', 'ADMIN', 'Support', 'pennypost', 'null', 'user_123456', 'USER_ada', 'uSeR_'])
    await refused(publisher, { handle }, 'handle', 'reserved')
})

test('a handle that is taken is 409 in upper or lower case, and nothing of the patch is saved', async (t) => {
  const world = await sharedWorld(t)
  await world.creator({ handle: 'Ada_L' })
  const { publisher } = await world.creator()
  const before = await read(publisher)
  for (const handle of ['Ada_L', 'ada_l', 'ADA_L']) {
    const { status, body } = await patch(publisher, { handle, name: 'Mallory', bio: 'Not Ada' })
    equal(status, 409)
    equal(body.code, 'handle-conflict')
    deepEqual(
      body.errors.map((error: { field: string; code: string }) => [error.field, error.code]),
      [['handle', 'taken']],
    )
  }
  deepEqual(await read(publisher), before)
})

test("one's own handle may change its case, or be sent again", async (t) => {
  const world = await emptiedWorld(t)
  const { publisher } = await world.creator({ handle: 'ada_l' })
  for (const handle of ['Ada_L', 'Ada_L', 'ADA_L']) {
    const { status, body } = await patch(publisher, { handle })
    deepEqual([status, body.handle], [200, handle])
  }
})

test('a handle that was given up is free for others', async (t) => {
  const world = await sharedWorld(t)
  const first = await world.creator({ handle: 'first_one' })
  const second = await world.creator()
  equal((await patch(first.publisher, { handle: 'moved_on' })).status, 200)
  equal((await patch(second.publisher, { handle: 'First_One' })).body.handle, 'First_One')
})

test('of many who want one handle at once, one gets it', async (t) => {
  const world = await sharedWorld(t)
  const people = [await world.creator(), await world.creator(), await world.creator(), await world.creator()]
  for (let round = 0; round < 5; round += 1) {
    const replies = await Promise.all(
      people.map(({ publisher }, index) =>
        patch(publisher, { handle: index % 2 ? `wanted_${round}` : `WANTED_${round}`, bio: `round ${round}` }),
      ),
    )
    deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409, 409])
    const winner = replies.findIndex(({ status }) => status === 200)
    const profiles = await Promise.all(people.map(({ publisher }) => read(publisher)))
    deepEqual(
      profiles.map(({ handle, bio }) => handle.toLowerCase() === `wanted_${round}` && bio === `round ${round}`),
      people.map((_, index) => index === winner),
    )
  }
})

test('two who want each other’s handle at once are both refused, and neither waits for the other', async (t) => {
  const world = await sharedWorld(t)
  const { publisher: left } = await world.creator({ handle: 'left_one' })
  const { publisher: right } = await world.creator({ handle: 'right_one' })
  // Often, because the moment in which they would lock each other out is short.
  const wishes = Array.from({ length: 60 }, () => [
    patch(left, { handle: 'right_one' }),
    patch(right, { handle: 'left_one' }),
  ])
  const replies = await Promise.all(wishes.flat())
  deepEqual([...new Set(replies.map(({ status }) => status))], [409])
})

test('a guest cannot choose a handle, but may change its name', async (t) => {
  const world = await sharedWorld(t)
  const { publisher, accountId } = await world.creator({ handle: 'was_known' })
  await makeGuest(world, accountId)
  const { status, body } = await patch(publisher, { handle: 'some_guest', name: 'Guest' })
  deepEqual([status, body.code], [403, 'guest-handle'])
  equal((await read(publisher)).handle, 'was_known')
  equal((await patch(publisher, { name: 'A guest' })).body.name, 'A guest')
})

test('handle availability is a hint that ignores case', async (t) => {
  const world = await emptiedWorld(t)
  await world.creator({ handle: 'Ada_L' })
  const available = async (handle: string) =>
    (await world.stranger().calls(getHandleAvailability, { query: { handle } })).body.available
  equal(await available('grace_h'), true)
  for (const handle of ['Ada_L', 'ada_l', 'admin', 'Admin', 'user_abcdef', 'USER_x'])
    equal(await available(handle), false, handle)
  for (const handle of ['abc', 'a b c d', 'a'.repeat(31), '@ada'])
    equal((await world.stranger().calls(getHandleAvailability, { query: { handle } })).status, 400, handle)
})
