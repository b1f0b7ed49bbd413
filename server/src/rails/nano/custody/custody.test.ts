import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { amountOf } from '@pennypost/contract/money'
import { bindPayout } from '@pennypost/contract/payouts'
import { getPayoutAddress } from '@pennypost/contract/profiles'
import { workRootOf, zeroHash } from '@pennypost/nano/block'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import {
  isClean,
  type Market,
  openMarket,
  price,
  quotes,
  reads,
  savesAddress,
  sells,
  xno,
} from '../../../payments/market.fixture.ts'
import { sendKey, sendPayouts } from '../../../payments/payouts/payouts.job.ts'
import { resumePayouts } from '../../../payments/payouts/resume-payouts.job.ts'
import { receiveArrivals } from '../../../payments/receive-arrivals.ts'
import { createLocalSigner } from '../../../payments/signing/local-signer.ts'
import { createMetrics } from '../../../platform/metrics.ts'
import { createFaultyNode, type Fault, type FaultyNode } from '../../../test/faulty-node.ts'
import { until } from '../../../test/until.ts'
import { allocateAddress } from './addresses.ts'
import { addSend, listUnfinishedAddresses, markRefused } from './block-store.ts'
import { signNextBlock } from './blocks.ts'
import { addressOf, keyringFrom } from './keyring.ts'
import { verifyKeyring } from './open-keyring.ts'

async function marketBehindFaultyNode(t: TestContext): Promise<{ market: Market; faultyNode: FaultyNode }> {
  let faultyNode: FaultyNode | undefined
  const market = await openMarket(t, {
    node: async (network) => {
      faultyNode = await createFaultyNode(t, network)
      return faultyNode
    },
  })
  return { market, faultyNode: faultyNode! }
}

test('whatever a node does with a published block, it is paid once', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t)
  const { buyer, creator, pays, checkAddresses, later } = market
  const faults: Fault[] = ['drop', 'drop-after', 'garbage', 'empty', 'busy', 'bad-gateway', 'twice']
  let sold = 0n
  for (const fault of faults) {
    const { id, address } = await quotes(buyer, await sells(creator))
    await pays(address, price)
    for (const action of ['accounts_receivable', 'block_info', 'process']) faultyNode.next(action, fault, fault)
    await checkAddresses()
    for (let tries = 0; (await reads(buyer, id)).status !== 'paid'; tries += 1) {
      ok(tries < 10, String(fault))
      await later(65)
    }
    sold += 1n
  }
  await later(65)
  equal(await market.earnings.receives(), sold * ((price * 95n) / 100n))
  await isClean(market)
})

test('without a node quotes are still made, and payments are found when the node is back', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t)
  const { buyer, postId, pays, checkAddresses, later } = market
  faultyNode.always('*', 'drop')
  faultyNode.events('lost')
  const { id, address } = await quotes(buyer, postId)
  await pays(address, price)
  await checkAddresses()
  await later(600)
  equal((await reads(buyer, id)).status, 'pending')
  faultyNode.heal()
  await later(120)
  await later(120)
  equal((await reads(buyer, id)).status, 'paid')
  await isClean(market)
})

test('money that a node lists but does not confirm is not believed', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t)
  const { buyer, postId, checkAddresses, later, wallet, pays } = market
  faultyNode.events('lost')
  const { id, address } = await quotes(buyer, postId)
  const real = await pays(wallet.address, 1n)
  const least = String(price / 1000n)
  const lies = [
    { ['AB'.repeat(32)]: { amount: String(price), source: wallet.address } },
    { [real]: { amount: String(price), source: wallet.address } },
    { [real]: { amount: least, source: wallet.address } },
  ]
  for (const lie of lies) {
    faultyNode.next('accounts_receivable', () => ({ blocks: { [address]: lie } }))
    await checkAddresses()
    equal((await reads(buyer, id)).received_raw, '0')
  }
  await pays(address, price)
  faultyNode.next('block_info', (reply: { confirmed: string }) => ({ ...reply, confirmed: 'false' }))
  await checkAddresses()
  equal((await reads(buyer, id)).received_raw, '0')
  await later(1)
  equal((await reads(buyer, id)).status, 'paid')
  await isClean(market)
})

test('a block that is accepted but not confirmed does not pay yet', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t)
  const { buyer, postId, pays, checkAddresses, later, world } = market
  const { id, address } = await quotes(buyer, postId)
  await pays(address, price)
  await receiveArrivals(world.services, address, undefined)
  faultyNode.always('block_info', (reply: { error?: string }) =>
    reply.error ? reply : { ...reply, confirmed: 'false' },
  )
  await checkAddresses()
  const sent = await reads(buyer, id)
  deepEqual([sent.status, sent.payout.status], ['received', 'waiting'])
  ok(sent.payout.block_hash)
  await isClean(market)
  faultyNode.heal()
  await later(5)
  equal((await reads(buyer, id)).status, 'paid')
  await isClean(market)
})

test('a send that is refused for good waits for another address, and only one block ever replaces it', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t)
  const { buyer, postId, pays, checkAddresses, later, creator, network } = market
  const { id, address } = await quotes(buyer, postId)
  await pays(address, price)
  // The receive passes; the creator's send does not, and the house's does.
  faultyNode.next('process', (reply: unknown) => reply, 'invalid')
  await checkAddresses()
  await later(5)
  const blocked = await reads(buyer, id)
  deepEqual([blocked.status, blocked.payout.status, blocked.payout.block_hash], ['received', 'blocked', null])
  await isClean(market)
  const elsewhere = network.wallet()
  await savesAddress(creator, elsewhere.address)
  const { payoutAddress, addressUpdatedAt } = (await creator.owner.calls(getPayoutAddress, {})).body
  const body = { payoutAddress, addressUpdatedAt }
  const bound = await creator.owner.calls(bindPayout, { params: { sourceKind: 'purchase', sourceId: id }, body })
  equal(bound.status, 200, JSON.stringify(bound.body))
  await later(5)
  equal((await reads(buyer, id)).status, 'paid')
  deepEqual([await elsewhere.receives(), await market.earnings.receives()], [(price * 95n) / 100n, 0n])
  await isClean(market)
})

test('a block that a node may have accepted is never refused for good', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t)
  const { buyer, postId, pays, checkAddresses, later } = market
  const { id, address } = await quotes(buyer, postId)
  await pays(address, price)
  // The receive is accepted. The creator's send is uncertain first, then refused, and the third time it is accepted.
  faultyNode.next('process', (reply: unknown) => reply, 'busy', 'invalid')
  await checkAddresses()
  await later(5)
  await later(5)
  const paid = await reads(buyer, id)
  deepEqual([paid.status, paid.payout.status], ['paid', 'confirmed'])
  equal(await market.earnings.receives(), (price * 95n) / 100n)
  await isClean(market)
})

test('a send whose work a node finds too low is not blocked: the same block is published again', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t)
  const { buyer, postId, pays, checkAddresses, later } = market
  const { id, address } = await quotes(buyer, postId)
  await pays(address, price)
  // The receive is accepted, and then the creator's send is not.
  faultyNode.next('process', (reply: unknown) => reply, 'weak-work')
  await checkAddresses()
  await later(5)
  const paid = await reads(buyer, id)
  deepEqual([paid.status, paid.payout.status], ['paid', 'confirmed'])
  equal(await market.earnings.receives(), (price * 95n) / 100n)
  await isClean(market)
})

test('a block that another one builds on is never replaced', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const { world, pays, buyer, postId } = market
  const { services } = world
  const { address } = await quotes(buyer, postId)
  await pays(address, price)
  await receiveArrivals(services, address, undefined)
  const { rows } = await services.pool.query('SELECT id FROM nano_addresses WHERE address = $1', [address])
  const [below, above] = [await signNextBlock(services, rows[0].id), await signNextBlock(services, rows[0].id)]
  equal(above!.previous, below!.hash)
  const isRefused = (hash: string) => services.db.transaction().execute((tx) => markRefused(tx, hash, new Date()))
  equal(await isRefused(below!.hash), false)
  await world.runJobs()
  equal(await market.earnings.receives(), (price * 95n) / 100n)
  await isClean(market)
})

test('two processes that sign for one address at the same time sign one block, not two', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const { world, pays, network } = market
  const { services } = world
  const expiresAt = new Date(services.clock.now().getTime() + 3_600_000)
  const row = await services.db
    .transaction()
    .execute((tx) => allocateAddress(services, tx, { purpose: 'transfer', leastRaw: amountOf('XNO', 1n), expiresAt }))
  await network.untilConfirmed(await pays(row.address, xno))
  await Promise.all([1, 2, 3].map(() => receiveArrivals(services, row.address, undefined)))
  const owed = await services.pool.query('SELECT amount FROM payouts WHERE address_id = $1', [row.id])
  deepEqual(owed.rows, [{ amount: String(xno) }])
  // Neither fails: the second waits for the lock and sees what the first one did.
  const signed = await Promise.all([1, 2, 3, 4].map(() => signNextBlock(services, row.id)))
  equal(signed.filter((block) => block !== undefined).length, 2)
  const { rows } = await services.pool.query('SELECT height FROM nano_blocks WHERE address_id = $1 ORDER BY height', [
    row.id,
  ])
  deepEqual(
    rows.map(({ height }) => height),
    [1, 2],
  )
  await sendPayouts.run(services, { addressId: row.id })
  equal(await market.wallet.receives(), xno)
  await isClean(market)
})

test('an address with many payments writes six blocks, then lets others go first', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const { world, pays, network, wallet } = market
  const { services } = world
  const { db, pool, clock } = services
  const wish = {
    purpose: 'transfer' as const,
    leastRaw: amountOf('XNO', 1n),
    expiresAt: new Date(clock.now().getTime() + 3_600_000),
  }
  const row = await db.transaction().execute((tx) => allocateAddress(services, tx, wish))
  const amounts = [1n, 2n, 3n, 4n].map((part) => part * xno)
  for (const amount of amounts) await network.untilConfirmed(await pays(row.address, amount))
  await receiveArrivals(services, row.address, undefined)
  await pool.query('DELETE FROM jobs')
  await sendPayouts.run(services, { addressId: row.id })
  const written = async () => (await pool.query('SELECT count(*)::int AS count FROM nano_blocks')).rows[0].count
  const waiting = async () => (await pool.query('SELECT queue, run_at <= $1 AS due FROM jobs', [clock.now()])).rows
  equal(await written(), 6)
  deepEqual(await waiting(), [{ queue: sendKey(row.id), due: true }])
  await world.runJobs()
  // Four sends, and the receives they needed.
  ok((await written()) > 6)
  equal(await wallet.receives(), 10n * xno)
  await isClean(market)
})

test('the work for an address’s first block is computed before anyone pays, and used', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, checkAddresses, pays, world } = market
  const { pool } = world.services
  const { address } = await quotes(buyer, postId)
  await checkAddresses()
  const prepared = async () =>
    (await pool.query('SELECT open_work FROM nano_addresses WHERE address = $1', [address])).rows[0].open_work
  const work = await until('the work is prepared', prepared)
  ok(isWorkEnough(workRootOf({ account: address, previous: zeroHash }), work, workThresholds.dev.receive))
  await pays(address, price)
  await checkAddresses()
  const { rows } = await pool.query(`SELECT block->>'work' AS work FROM nano_blocks ORDER BY height`)
  deepEqual([rows.length, rows[0].work], [3, work])
  await isClean(market)
})

test('the same id is never sent twice, and an address never sends more than it received', async (t) => {
  const { world } = await openMarket(t)
  const { services } = world
  const { db, clock } = services
  const expiresAt = new Date(clock.now().getTime() + 3_600_000)
  const row = await db.transaction().execute((tx) =>
    allocateAddress(services, tx, {
      purpose: 'order',
      leastRaw: amountOf('XNO', 1n),
      expiresAt,
      derivation: 'x402:a',
    }),
  )
  equal(row.address, await addressOf(services.addresses, { id: '999', derivation: 'x402:a' }))
  const send = {
    id: randomUUID(),
    address_id: row.id,
    destination: await services.addresses.house(),
    amount: '1',
    created_at: clock.now(),
  }
  await db.transaction().execute((tx) => addSend(tx, send))
  await rejects(db.transaction().execute((tx) => addSend(tx, send)))
  await rejects(signNextBlock(services, row.id), /more than it received/)
  await services.pool.query('DELETE FROM nano_sends')
})

test('unfinished sends are resumed if their job was lost, and only then', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const { world, pays, creator, buyer } = market
  const { services } = world
  for (const postId of [market.postId, await sells(creator)]) {
    const { address } = await quotes(buyer, postId)
    await pays(address, price)
    await receiveArrivals(services, address, undefined)
  }
  const lost = (await services.pool.query('SELECT max(id) AS id FROM nano_addresses')).rows[0].id
  const jobsOf = `FROM jobs WHERE name = 'move-nano-address'`
  const waiting = async () => (await services.pool.query(`SELECT id, queue ${jobsOf} ORDER BY queue`)).rows
  const before = await waiting()
  equal(before.length, 2)
  await services.pool.query(`DELETE ${jobsOf} AND queue = $1`, [sendKey(lost)])
  deepEqual(await listUnfinishedAddresses(services.db, sendKey(''), 1), [lost])
  await resumePayouts.run(services, {})
  deepEqual(
    (await waiting()).map(({ queue }) => queue),
    before.map(({ queue }) => queue),
  )
  await world.runJobs()
  equal(await market.earnings.receives(), 2n * ((price * 95n) / 100n))
  await isClean(market)
})

test('keys are derived from the seed as in any wallet; with another seed the service does not start', async (t) => {
  // The first account of the seed of zeros, as every wallet shows it.
  const zeros = keyringFrom('0'.repeat(64))
  equal(zeros.house, 'nano_3i1aq1cchnmbn9x5rsbap8b15akfh7wj7pwskuzi7ahz8oq6cobd99d4r3b7')
  equal(
    zeros.addressOf({ id: '1', derivation: null }),
    'nano_3rrf6cus8pye6o1kzi5n6wwjof8bjb7ff4xcgesi3njxid6x64pms6onw1f9',
  )
  equal(
    keyringFrom('0'.repeat(64), zeros.addressOf({ id: '2', derivation: 'a' })).house,
    zeros.addressOf({ id: '7', derivation: 'a' }),
  )
  // A text that reads like an index is not that index. Addresses are cached, so each is asked for twice.
  const spellings = [
    { id: '1', derivation: null },
    { id: '1', derivation: '1' },
    { id: '1', derivation: 'index 1' },
  ]
  const derived = [...spellings, ...spellings].map((spelling) => zeros.addressOf(spelling))
  deepEqual(derived.slice(0, 3), derived.slice(3))
  equal(new Set(derived).size, 3)
  const market = await openMarket(t)
  const { services } = market.world
  const { db, config } = services
  const keyring = keyringFrom(config.nano.seed!)
  const ones = keyringFrom('1'.repeat(64))
  // The same before the first address: of several processes that start in parallel, all have one seed.
  const begun = await Promise.allSettled([keyring, ones, keyring, ones].map((each) => verifyKeyring(db, each)))
  deepEqual(begun.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'rejected', 'rejected'])
  await services.pool.query('DELETE FROM nano_seed')
  await verifyKeyring(db, keyring)
  await rejects(verifyKeyring(db, zeros), /NANO_SEED: /)
  const { address } = await quotes(market.buyer, market.postId)
  // A database from before seeds were bound to it.
  await services.pool.query('DELETE FROM nano_seed')
  await rejects(verifyKeyring(db, zeros), /NANO_SEED: /)
  await verifyKeyring(db, keyring)
  await market.pays(address, price)
  await receiveArrivals(services, address, undefined)
  const { rows } = await services.pool.query('SELECT id FROM nano_addresses WHERE address = $1', [address])
  const metrics = createMetrics()
  const signer = createLocalSigner({ ...services, metrics, keyring: zeros, isAsked: false })
  await rejects(signNextBlock({ ...services, signer }, rows[0].id), /another seed/)
  await market.checkAddresses()
  await isClean(market)
})
