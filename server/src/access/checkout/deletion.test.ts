import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createCheckout, getCheckout, recoverCheckout, settleCheckout } from '@pennypost/contract/checkout'
import { createAccount } from '../../accounts/account-store.ts'
import { deleteEmptyGuests } from '../../accounts/delete-empty-guests.job.ts'
import { startSession } from '../../accounts/session-store.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { payWith } from '../../test/base-wallet.ts'
import { nextAddress, Person } from '../../test/person.ts'
import { createWorld, type World } from '../../test/world.ts'
import { signature } from '../x402/buying.fixture.ts'
import { isClean, openUsdcMarket, stranger, type UsdcMarket } from '../x402/usdc-market.fixture.ts'
import { deleteGuestCheckouts, maxAgeDays } from './delete-guest-checkouts.job.ts'

const skip = !hasAnvil
const day = 86_400

async function begins(market: UsdcMarket, person: Person) {
  const request = { body: { postId: market.postId, asset: 'USDC' as const }, idempotencyKey: randomUUID() }
  const begin = () => person.calls(createCheckout, request)
  const { body } = await begin()
  const holder = new Person(market.world, nextAddress(), body.checkoutCredential)
  const params = { checkoutId: body.checkout.id as string }
  const pays = async () => {
    const [accepted] = body.paymentRequired.accepts
    const { payload } = await payWith(await market.fundedWallet(), accepted)
    return holder.calls(settleCheckout, { params, headers: signature(accepted, payload) })
  }
  return { begin, holder, params, pays, id: params.checkoutId }
}

const countOf = async ({ services }: World, what: string): Promise<number> =>
  (await services.pool.query(`SELECT count(*)::int AS n FROM ${what}`)).rows[0].n

test('a checkout that no guest paid is forgotten after a week, and its key with it; one with any payment stays', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world } = market
  const deleteOld = () => deleteGuestCheckouts.run(world.services, {})
  const guest = world.stranger()
  const [unpaid, paid, uncertain] = [
    await begins(market, guest),
    await begins(market, guest),
    await begins(market, guest),
  ]
  // Of an account: not forgotten either.
  await begins(market, (await world.reader()).owner)
  equal((await paid.pays()).status, 200)
  const faultyNode = await stranger(t, market)
  faultyNode.always('eth_sendRawTransaction', 'drop')
  equal((await uncertain.pays()).status, 409)
  await world.advance(300 + maxAgeDays * day - 60)
  await deleteOld()
  equal((await unpaid.begin()).body.replayed, true, 'not before its time')
  await world.advance(120)
  await deleteOld()
  equal((await unpaid.holder.calls(getCheckout, { params: unpaid.params })).status, 404)
  const again = await unpaid.begin()
  deepEqual([again.status, again.body.replayed], [201, false])
  ok(again.body.checkout.id !== unpaid.id)
  for (const kept of [paid, uncertain]) {
    const again = await kept.begin()
    deepEqual([again.status, again.body.checkout.id], [200, kept.id])
  }
  const recovered = await paid.holder.calls(recoverCheckout, { params: paid.params })
  deepEqual([recovered.body.checkout.status, recovered.status], ['paid', 200])
  equal(await countOf(world, 'checkouts'), 4)
  equal(await countOf(world, "idempotent_replies WHERE scope LIKE 'checkout:%'"), 4)
  faultyNode.heal()
  await world.runJobs()
  await market.chain.call('evm_mine')
  await market.later(300)
  await isClean(market)
})

test('many are forgotten in one night', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const { pool, clock } = world.services
  await pool.query(
    `INSERT INTO checkouts (id, post_id, payee_id, amount, pay_to, created_at, expires_at)
     SELECT gen_random_uuid(), $1, $2, 1, '0x', $3::timestamptz, $3::timestamptz + (n % 7) * interval '1 second'
     FROM generate_series(1, 2500) n`,
    [postId, creator.accountId, clock.now()],
  )
  await world.advance((maxAgeDays + 1) * day)
  await deleteGuestCheckouts.run(world.services, {})
  equal(await countOf(world, 'checkouts'), 0)
})

test('an anonymous account that has nothing and cannot be come back to goes after a month; no other does', async (t) => {
  const world = await createWorld(t)
  const { services } = world
  const { db, clock } = services
  const begin = (isAnonymous: boolean) =>
    db.transaction().execute(async (tx) => (await createAccount(tx, { isAnonymous, now: clock.now() }))!.id)
  const [empty, registered, signedIn] = [await begin(true), await begin(false), await begin(true)]
  const hasAccount = async (id: string) => (await countOf(world, `accounts WHERE id = '${id}'`)) === 1
  await world.advance(29 * day)
  await db.transaction().execute((tx) => startSession(tx, signedIn, 'wallet', clock.now()))
  await deleteEmptyGuests.run(services, {})
  ok(await hasAccount(empty), 'not before its time')
  await world.advance(2 * day)
  await deleteEmptyGuests.run(services, {})
  deepEqual([await hasAccount(empty), await hasAccount(registered), await hasAccount(signedIn)], [false, true, true])
})

test('a guest who bought stays, though the purchase is long ago', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world } = market
  const bought = await begins(market, world.stranger())
  const { body } = await bought.pays()
  await world.advance(200 * day)
  await deleteGuestCheckouts.run(world.services, {})
  await deleteEmptyGuests.run(world.services, {})
  const back = await bought.holder.calls(recoverCheckout, { params: bought.params })
  deepEqual([back.status, back.body.session.user], [200, body.session.user])
  await market.later(10)
  await isClean(market)
})
