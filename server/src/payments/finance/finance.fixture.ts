import { equal } from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { amountOf } from '@pennypost/contract/money'
import { tipComment, tipPost } from '@pennypost/contract/tips'
import { findAddressByText } from '../../rails/nano/custody/addresses.ts'
import type { Reader } from '../../test/people.ts'
import { type OpenWorldOptions, openWorld, type World } from '../../test/world.ts'
import { savesAddress, sells } from '../market.fixture.ts'
import { takeArrival } from '../receive-arrivals.ts'

/** Anyone's address. */
const somewhere = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'

/** A world with two creators, each with a post for sale. Pending jobs run before the world is closed. */
export async function creatorsIn(t: TestContext, options: OpenWorldOptions = {}) {
  let world: World | undefined
  t.after(() => world?.runJobs())
  world = await openWorld(t, { isolation: 'emptied', ...options })
  const [ada, bob] = [await world.creator({ name: 'Ada' }), await world.creator({ name: 'Bob' })]
  for (const person of [ada, bob]) await savesAddress(person, somewhere)
  return { world, ada, bob, adasPost: { postId: await sells(ada) }, bobsPost: { postId: await sells(bob) } }
}

/**
 * Records money at one of our addresses as if a node had reported it: the books are real, the chain is not. Nothing is paid
 * out, so that many payments need no proof of work.
 */
export async function arrives(world: World, address: string, amount: bigint): Promise<void> {
  const { db } = world.services
  const hash = randomBytes(32).toString('hex').toUpperCase()
  const source = `nano_${'1'.repeat(60)}`
  await db.transaction().execute(async (tx) => {
    const row = (await findAddressByText(tx, address))!
    const came = { hash, addressId: row.id, address, amount: amountOf('XNO', amount), source }
    await takeArrival(world.services, tx, came)
  })
  await world.services.pool.query(`DELETE FROM jobs WHERE name = 'move-nano-address'`)
}

/** Gets an address for a tip to a post or comment. */
export async function asksToTip(
  person: Reader,
  target: { readonly postId: string } | { readonly commentId: string },
  amount: bigint,
  message?: string,
): Promise<{ id: string; address: string }> {
  const body = { amountRaw: String(amount), ...(message !== undefined && { message }) }
  const input = { body, idempotencyKey: randomUUID() }
  const { status, body: made } =
    'postId' in target
      ? await person.owner.calls(tipPost, { ...input, params: target })
      : await person.owner.calls(tipComment, { ...input, params: target })
  equal(status, 201, JSON.stringify(made))
  return { id: made.session.id, address: made.session.ephemeral_address.ephemeral_address }
}

/** Tips, and returns the id of the tip. */
export async function tipsWith(
  world: World,
  person: Reader,
  target: { readonly postId: string } | { readonly commentId: string },
  amount: bigint,
  message?: string,
): Promise<string> {
  const { id, address } = await asksToTip(person, target, amount, message)
  await arrives(world, address, amount)
  return id
}
