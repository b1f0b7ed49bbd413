import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  createCheckout,
  createTipCheckout,
  getCheckout,
  recoverCheckout,
  settleCheckout,
} from '@pennypost/contract/checkout'
import { createAccount } from '../../accounts/account-store.ts'
import { deleteEmptyGuests } from '../../accounts/delete-empty-guests.job.ts'
import { startSession } from '../../accounts/session-store.ts'
import { isClean as isNanoClean, openMarket, price } from '../../payments/market.fixture.ts'
import { removeUnpaidGuestOrders } from '../../payments/orders/order-store.ts'
import { receiveArrivals } from '../../payments/receive-arrivals.ts'
import { recover } from '../../payments/recovery/recover.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { payWith } from '../../test/base-wallet.ts'
import { nextAddress, Person } from '../../test/person.ts'
import { until } from '../../test/until.ts'
import { createWorld, type World } from '../../test/world.ts'
import { signature } from '../x402/buying.fixture.ts'
import { isClean, openUsdcMarket, stranger, type UsdcMarket } from '../x402/usdc-market.fixture.ts'
import { deleteGuestCheckouts, maxAgeDays, maxNanoAgeDays } from './delete-guest-checkouts.job.ts'
import { checkoutOf, startsNano } from './nano-checkout.fixture.ts'

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
  await db.transaction().execute((tx) => startSession(tx, signedIn, 'wallet', { userAgent: undefined }, clock.now()))
  await deleteEmptyGuests.run(services, {})
  ok(await hasAccount(empty), 'not before its time')
  await world.advance(2 * day)
  await deleteEmptyGuests.run(services, {})
  deepEqual([await hasAccount(empty), await hasAccount(registered), await hasAccount(signedIn)], [false, true, true])
})

test('many anonymous accounts that are empty go in one night', async (t) => {
  const world = await createWorld(t)
  const { pool, clock } = world.services
  await pool.query(
    `INSERT INTO accounts (id, name, handle, is_anonymous, created_at)
     SELECT gen_random_uuid(), 'Guest', 'guest_' || n, true, $1::timestamptz + (n / 150) * interval '1 microsecond' FROM generate_series(1, 450) n`,
    [clock.now()],
  )
  await world.advance(31 * day)
  await deleteEmptyGuests.run(world.services, {})
  equal(await countOf(world, 'accounts WHERE is_anonymous'), 0)
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

test('an order in Nano that no guest paid is deleted after 90 days with its key; money that comes later goes back', async (t) => {
  const market = await openMarket(t)
  const { world, network, postId, pays } = market
  const { services } = world
  const keys = { purchase: randomUUID(), tip: randomUUID() }
  const guest = world.stranger()
  const begin = () => guest.calls(createCheckout, { body: { postId, asset: 'XNO' }, idempotencyKey: keys.purchase })
  const beginTip = () =>
    guest.calls(createTipCheckout, { body: { postId, amountRaw: String(price) }, idempotencyKey: keys.tip })
  const unpaid = checkoutOf(world, (await begin()).body)
  const unpaidTip = checkoutOf(world, (await beginTip()).body)
  const [paid, tooLittle] = [await startsNano(market), await startsNano(market)]
  const owned = await startsNano(market, { person: market.buyer.owner })
  await pays(paid.address, price)
  await pays(tooLittle.address, price / 2n)
  await market.later(10_800)
  const deleteOld = () => deleteGuestCheckouts.run(services, {})
  await market.passes((maxNanoAgeDays - 1) * day)
  await deleteOld()
  equal((await unpaid.reads()).checkout.status, 'expired', 'not before its time')
  equal((await begin()).body.replayed, true)

  await market.passes(2 * day)
  await deleteOld()
  for (const gone of [unpaid, unpaidTip])
    equal((await gone.holder.calls(getCheckout, { params: gone.params })).status, 404)
  equal((await paid.reads()).checkout.status, 'paid')
  equal((await tooLittle.reads()).checkout.refundedRaw, String(price / 2n))
  equal(await countOf(world, `orders WHERE id = '${owned.id}'`), 1)
  for (const again of [await begin(), await beginTip()]) deepEqual([again.status, again.body.replayed], [201, false])
  // Nothing is missing that the journal would bring back.
  equal((await recover(services)).recovered, 0)

  const wallet = await network.fundedWallet(price)
  await network.untilConfirmed(await wallet.sends(unpaid.address, price))
  await receiveArrivals(services, unpaid.address, undefined)
  await market.later(1)
  equal(await wallet.receives(), price)
  await isNanoClean(market)
})

test('a payment that is being noted keeps its order, whichever is first', async (t) => {
  const market = await openMarket(t)
  const { world, pays } = market
  const { db, pool } = world.services
  const order = await startsNano(market)
  await pays(order.address, price / 2n)
  // The payment has been noted, and its transaction is about to commit.
  const noting = await pool.connect()
  await noting.query('BEGIN')
  await noting.query('UPDATE orders SET received_raw = 1 WHERE id = $1', [order.id])
  const deleting = db.transaction().execute((tx) => removeUnpaidGuestOrders(tx, new Date(8.64e15), 10))
  await until('the deletion waits', async () => {
    const { rowCount } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%DELETE FROM orders%'`,
    )
    return rowCount === 1
  })
  await noting.query('COMMIT')
  noting.release()
  deepEqual(await deleting, [])
  await pool.query('UPDATE orders SET received_raw = 0 WHERE id = $1', [order.id])
  await market.later(10_800)
  equal((await order.reads()).checkout.refundedRaw, String(price / 2n))
})
