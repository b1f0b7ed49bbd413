import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { keyringFrom } from '../../rails/nano/custody/keyring.ts'
import { createFaultyNode, type FaultyNode } from '../../test/faulty-node.ts'
import { createNanoWallet } from '../../test/nano-wallet.ts'
import { type Market, openMarket, price, quotes, sells, tips, xno } from '../market.fixture.ts'
import { dueSlices, listSlices, type Slice, settledBounds } from './audit-slices.ts'
import { type AuditOptions, runAudit } from './run-audit.ts'

// One address and the movements of one sale each (an arrival, the sale, two payouts), so that old ones are not checked at
// every run.
const sizes = { addresses: 1n, movements: 4n }

const audits = async ({ world }: Market, options: AuditOptions = {}): Promise<readonly string[]> =>
  (await runAudit(world.services, { sizes, ...options })).findings

/** Past the rules of the database itself. */
const damages = ({ world }: Market, change: string) =>
  world.services.pool.query(`SET session_replication_role = replica; ${change}; RESET session_replication_role`)

async function buysOne(market: Market): Promise<{ id: string; address: string }> {
  const order = await quotes(market.buyer, await sells(market.creator))
  await market.pays(order.address, price)
  await market.checkAddresses()
  return order
}

test('a run checks what is new, and what an old order did since', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const { world } = market
  const sold = []
  for (let count = 0; count < 3; count += 1) sold.push(await buysOne(market))
  const first = await runAudit(world.services, { sizes })
  deepEqual(first.findings, [])
  equal(first.movements, 12n)
  const second = await runAudit(world.services, { sizes })
  deepEqual([second.findings, second.movements, second.addresses], [[], 4n, 1], 'only the oldest slices, in turn')

  await buysOne(market)
  const third = await runAudit(world.services, { sizes })
  // The new address, as itself and as that of the new movements; and one old of each kind.
  deepEqual([third.findings, third.movements], [[], 8n])

  const old = sold[0]!
  await damages(market, `UPDATE orders SET commission_raw = commission_raw - 1 WHERE id = '${old.id}'`)
  deepEqual(await audits(market), [], 'it is not its turn')
  await market.pays(old.address, xno)
  await market.checkAddresses()
  match((await audits(market)).join(), new RegExp(`order ${old.id}: what was sold and what is owed for it disagree`))
  match((await audits(market)).join(), /disagree/, 'what was wrong is checked again')
  await damages(market, `UPDATE orders SET commission_raw = commission_raw + 1 WHERE id = '${old.id}'`)
  deepEqual(await audits(market), [])
})

test('a row that was changed after it was proved is found when its turn comes, and by a full audit at once', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const sold = []
  for (let count = 0; count < 3; count += 1) sold.push(await buysOne(market))
  deepEqual(await audits(market), [])
  await damages(
    market,
    `UPDATE nano_sends SET amount = amount + 1 WHERE address_id = (SELECT max(address_id) FROM nano_sends)`,
  )
  const found = []
  for (let run = 0; run < 3; run += 1) found.push((await audits(market)).length > 0)
  deepEqual(found, [false, false, true])
  await damages(
    market,
    `UPDATE nano_sends SET amount = amount - 1 WHERE address_id = (SELECT max(address_id) FROM nano_sends)`,
  )
  deepEqual(await audits(market), [])
  await damages(
    market,
    `UPDATE nano_blocks SET balance = balance + 1 WHERE address_id = (SELECT max(address_id) FROM nano_sends)`,
  )
  deepEqual(await audits(market), [])
  match((await audits(market, { isFull: true })).join(), /do not follow each other/)
})

test('a sale that the books lack, and a figure that nothing was booked for, are found by every run', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const { buyer, postId } = market
  for (let count = 0; count < 3; count += 1) await buysOne(market)
  const { id } = await quotes(buyer, postId)
  deepEqual(await audits(market), [])
  for (const findings of [1, 1]) {
    await damages(market, `UPDATE orders SET state = 'paid', received_at = now(), paid_at = now() WHERE id = '${id}'`)
    const found = await audits(market)
    equal(found.filter((line) => line === `order ${id}: its state and its sale disagree`).length, findings)
  }
  await damages(market, `UPDATE orders SET state = 'pending', received_at = NULL, paid_at = NULL WHERE id = '${id}'`)
  deepEqual(await audits(market), [])
  await damages(market, `INSERT INTO post_figures (post_id, tip_total_raw) VALUES ('${postId}', 1)`)
  match((await audits(market)).join(), /its sales or tips are not those that were booked/)
  match((await audits(market)).join(), /its sales or tips are not those that were booked/)
})

test('a movement that nothing made is found, and what a thief took', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const { world, network } = market
  for (let count = 0; count < 2; count += 1) await buysOne(market)
  deepEqual(await audits(market), [])
  await damages(
    market,
    `INSERT INTO ledger_movements (asset, kind, cause, at) VALUES ('XNO', 'payout', 'payout:nobody', now())`,
  )
  const found = (await audits(market)).join()
  match(found, /movement payout:nobody is not balanced/)
  match(found, /movement payout:nobody has nothing that made it/)
  await damages(market, `DELETE FROM ledger_movements WHERE cause = 'payout:nobody'`)
  deepEqual(await audits(market), [])
  const { address } = await tips(market.buyer, market.postId, xno)
  await market.pays(address, xno / 2n)
  await market.checkAddresses()
  const { rows } = await world.services.pool.query('SELECT * FROM nano_addresses WHERE address = $1', [address])
  const thief = createNanoWallet(network, keyringFrom(world.services.config.nano.seed!).secretKeyOf(rows[0]))
  await thief.receives()
  await network.untilConfirmed(await thief.sends(network.faucet.address, 5n))
  match((await audits(market)).join(), /was not signed by us/)
})

test('what no node was asked about is not proved', async (t) => {
  let faultyNode: FaultyNode | undefined
  const node = async (network: { rpcUrl: string; wsUrl: string }) => {
    faultyNode = await createFaultyNode(t, network)
    return faultyNode
  }
  const market = await openMarket(t, { node, isolation: 'own' })
  const { db } = market.world.services
  for (let count = 0; count < 2; count += 1) await buysOne(market)
  faultyNode!.always('accounts_balances', 'drop')
  match((await audits(market)).join(), /the chain could not be asked/)
  const unproved = async () => (await listSlices(db)).filter(({ findings }) => findings > 0).length
  equal(await unproved(), 2)
  faultyNode!.heal()
  deepEqual(await audits(market), [])
  equal(await unproved(), 0)
})

test('what a transaction that is still open writes is not skipped', async (t) => {
  const { world } = await openMarket(t, { isolation: 'own' })
  const { db, pool } = world.services
  const insert = `INSERT INTO ledger_movements (asset, kind, cause, at) VALUES ('XNO', 'payout', $1, now())`
  const client = await pool.connect()
  try {
    await client.query('SET session_replication_role = replica')
    await client.query('BEGIN')
    await client.query(insert, ['payout:early'])
    await pool.query(
      `SET session_replication_role = replica; ${insert.replace('$1', `'payout:late'`)}; RESET session_replication_role`,
    )
    let isSettled = false
    const bounds = settledBounds(db).finally(() => {
      isSettled = true
    })
    for (let query = 0; query < 20; query += 1) await pool.query('SELECT')
    equal(isSettled, false)
    await client.query('COMMIT')
    const { rows } = await pool.query('SELECT max(id) AS last FROM ledger_movements')
    equal((await bounds).movements, BigInt(rows[0].last))
  } finally {
    client.release(true)
  }
})

test('a slice is due when it is new, was wrong, or is one of the oldest thirtieth', () => {
  const slice = (first: bigint, findings = 0): Slice => {
    return { kind: 'addresses', first, last: first + 9n, findings, auditedAt: new Date(Number(first)) }
  }
  const known = Array.from({ length: 31 }, (_, index) => slice(BigInt(index * 10 + 1), index === 20 ? 1 : 0))
  const due = dueSlices('addresses', known, 325n, 10n)
  deepEqual(
    due.map(({ range, isNew }) => [range.first, range.last, isNew]),
    [
      [1n, 10n, false],
      [11n, 20n, false],
      [201n, 210n, true],
      [311n, 320n, true],
      [321n, 325n, true],
    ],
  )
})
