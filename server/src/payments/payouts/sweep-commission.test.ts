import { deepEqual, equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { getAdminOverview } from '@pennypost/contract/admin-overview'
import { listObligations, type Obligation } from '@pennypost/contract/obligations'
import { administrator } from '../../discussion/discussion.fixture.ts'
import { enqueue } from '../../platform/jobs/job.ts'
import { openNanoNetwork } from '../../test/nano-network.ts'
import type { NanoWallet } from '../../test/nano-wallet.ts'
import { openOnce } from '../../test/shared.ts'
import { until } from '../../test/until.ts'
import type { World } from '../../test/world.ts'
import { isClean, type Market, openMarket, price, quotes, reads, sells, signsIn, xno } from '../market.fixture.ts'
import { receiveArrivals } from '../receive-arrivals.ts'
import { sendLowPriorityPayouts } from './payouts.job.ts'
import { sweepCommission } from './sweep-commission.job.ts'

const net = (price * 95n) / 100n
const commission = price - net
const sweepHour = 3

interface SweptMarket extends Market {
  readonly house: NanoWallet
  /** The hour passes, whatever hour it is, on the next day at the earliest. */
  untilHour(hour: number): Promise<void>
  sweeps(): Promise<void>
}

async function openSweptMarket(t: TestContext): Promise<SweptMarket> {
  const network = await openOnce('nano network', openNanoNetwork, async () => true)
  const house = network.wallet()
  const settings = { COMMISSION_SWEEP_HOUR: String(sweepHour), HOUSE_NANO_ADDRESS: house.address }
  const market = await openMarket(t, { network, settings })
  const { world } = market
  const untilHour = async (hour: number) => {
    const now = world.services.clock.now()
    const next = new Date(now)
    next.setUTCDate(now.getUTCDate() + 1)
    next.setUTCHours(hour, 5, 0, 0)
    await market.passes((next.getTime() - now.getTime()) / 1000)
  }
  const sweeps = async () => {
    await sweepCommission.run(world.services, {})
    await world.runJobs()
  }
  await untilHour(12)
  return { ...market, house, untilHour, sweeps }
}

async function sellsOnce(market: Market): Promise<{ id: string; address: string }> {
  const order = await quotes(market.buyer, await sells(market.creator))
  await market.pays(order.address, price)
  await market.checkAddresses()
  equal((await reads(market.buyer, order.id)).status, 'paid')
  return order
}

test('commission waits for its hour, and is then sent for all sales; authors and refunds do not wait', async (t) => {
  const market = await openSweptMarket(t)
  const { world, house, wallet } = market
  const orders = [await sellsOnce(market), await sellsOnce(market)]
  deepEqual([await market.earnings.receives(), await house.receives()], [2n * net, 0n])
  await isClean(market)
  const admin = await administrator(world)
  const { money } = (await admin.owner.calls(getAdminOverview, {})).body
  deepEqual([money.nanoWaiting.count, money.nanoCommission.count], [0, 2])
  equal(money.nanoCommission.amountAtomic, String(2n * commission))
  const beingSent = async () => {
    const { body } = await admin.owner.calls(listObligations, { query: { status: 'waiting' } })
    return body.obligations.map(({ role }: Obligation) => role)
  }
  deepEqual(await beingSent(), [])

  // What is sent back uses the same address, and comes first.
  await market.pays(orders[0]!.address, xno)
  await market.checkAddresses()
  deepEqual([await wallet.receives(), await house.receives()], [xno, 0n])
  await isClean(market)

  await market.sweeps()
  equal(await house.receives(), 0n, 'it is another hour')
  await market.untilHour(sweepHour)
  await signsIn(world, admin)
  await sweepCommission.run(world.services, {})
  deepEqual(await beingSent(), ['house', 'house'])
  await world.runJobs()
  equal(await house.receives(), 2n * commission)
  await market.sweeps()
  equal(await house.receives(), 0n, 'nothing is sent twice')
  await isClean(market)
})

test('a sweep that was missed is made up for; without the setting, what waits is sent', async (t) => {
  const market = await openSweptMarket(t)
  const { world, house } = market
  await sellsOnce(market)
  await market.untilHour(11)
  await market.sweeps()
  equal(await house.receives(), 0n, 'it has waited for less than a day')
  await sellsOnce(market)
  await market.passes(3 * 3_600)
  await market.sweeps()
  equal(await house.receives(), 2n * commission, 'with what has not waited as long')
  await sellsOnce(market)
  const { services } = world
  await sweepCommission.run({ ...services, config: { ...services.config, commissionSweepHour: undefined } }, {})
  await world.runJobs()
  equal(await house.receives(), commission)
  await isClean(market)
})

test('a sweep goes through although it fails for minutes', async (t) => {
  const market = await openSweptMarket(t)
  const { world, house } = market
  const { db, clock, pool } = world.services
  await sellsOnce(market)
  await market.untilHour(sweepHour)
  await pool.query('ALTER TABLE nano_sends RENAME TO nano_sends_elsewhere')
  await db.transaction().execute((tx) => enqueue(tx, clock, sweepCommission, {}))
  for (let minute = 0; minute < 5; minute += 1) await market.passes(60)
  await pool.query('ALTER TABLE nano_sends_elsewhere RENAME TO nano_sends')
  await market.passes(600)
  equal(await house.receives(), commission)
})

/** The name of the job that waits for an address. */
async function jobOf({ services }: World, address: string): Promise<string | undefined> {
  const { rows } = await services.pool.query<{ name: string }>(
    `SELECT jobs.name FROM jobs JOIN nano_addresses ON jobs.key = 'nano:' || nano_addresses.id WHERE address = $1`,
    [address],
  )
  return rows[0]?.name
}

test('commission makes no payer a crowd, neither while it waits for its sweep nor while it is swept', async (t) => {
  const market = await openSweptMarket(t)
  const { world, buyer, creator, pays } = market
  for (let count = 0; count < 9; count += 1) await sellsOnce(market)
  for (const isSwept of [false, true]) {
    if (isSwept) {
      await market.untilHour(sweepHour)
      await sweepCommission.run(world.services, {})
    }
    const { address } = await quotes(buyer, await sells(creator))
    await pays(address, price)
    await receiveArrivals(world.services, address, undefined)
    await until('the payout is scheduled', async () => (await jobOf(world, address)) !== undefined)
    equal(await jobOf(world, address), 'move-nano-address')
    if (!isSwept) await world.runJobs()
  }
  await world.runJobs()
})

test('a crowd stays one while its address has many blocks to write', async (t) => {
  const { world, buyer, postId, pays } = await openMarket(t, { isBlind: true })
  const { id, address } = await quotes(buyer, postId)
  // Each part is received with a block of its own, and the author is sent the sum.
  for (let part = 0; part < 8; part += 1) await pays(address, price / 8n)
  await receiveArrivals(world.services, address, undefined)
  equal(await jobOf(world, address), 'move-nano-address')
  const { rows } = await world.services.pool.query(
    `WITH gone AS (DELETE FROM jobs WHERE name = 'move-nano-address') SELECT id FROM nano_addresses WHERE address = $1`,
    [address],
  )
  await sendLowPriorityPayouts.run(world.services, { addressId: rows[0].id })
  equal(await jobOf(world, address), 'move-crowded-nano-address')
  await world.runJobs()
  equal((await reads(buyer, id)).status, 'paid')
})
