import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { readConfig } from '../../config.ts'
import { recoverService } from '../../operator/recover.ts'
import { createLog } from '../../platform/log.ts'
import { type NanoNetworkUnderTest, openNanoNetwork } from '../../test/nano-network.ts'
import type { NanoWallet } from '../../test/nano-wallet.ts'
import type { Reader } from '../../test/people.ts'
import { nextAddress, Person } from '../../test/person.ts'
import { folderFor } from '../../test/service-process.ts'
import { openOnce, type Scope } from '../../test/shared.ts'
import { cloneTestDatabase, copyTestDatabase } from '../../test/test-database.ts'
import { createWorld, type World } from '../../test/world.ts'
import { auditBooks } from '../audit/audit-books.ts'
import { auditChain } from '../audit/audit-chain.ts'
import { auditLost } from '../audit/audit-lost.ts'
import { price, quotes, savesAddress, sells } from '../market.fixture.ts'
import { watchAddresses } from '../receive-arrivals.ts'
import type { Recovery } from './recover.ts'

/** A service whose database is restored from a backup while its buyers went on paying. */
export interface Shop {
  readonly network: NanoNetworkUnderTest
  readonly wallet: NanoWallet
  readonly earnings: NanoWallet
  readonly postId: string
  readonly buyers: readonly Reader[]
  /** Opens the service on the original database, for `use`, and stops it. */
  afterBackup(use: (world: World) => Promise<void>, settings?: Record<string, string>): Promise<void>
  /** Replaces the backup by a newer one. */
  backsUp(): Promise<void>
  /** Opens the service on what the backup restored. */
  afterRestore(use: (world: World) => Promise<void>, settings?: Record<string, string>): Promise<void>
  /** Runs the command on the restored database. */
  recovers(): Promise<Recovery>
  /** The same person, who calls another process. */
  at(world: World, buyer: Reader): Reader
  /** Checks every address once, and runs the jobs that follow. */
  look(world: World): Promise<void>
}

export async function openShop(t: TestContext, buyerCount: number): Promise<Shop> {
  const network = await openOnce('nano network', openNanoNetwork, async () => true)
  const [database, wallet] = [await cloneTestDatabase(), await network.fundedWallet(1000n * price)]
  t.after(() => database.drop())
  const settings = {
    NANO_RPC_URL: network.rpcUrl,
    NANO_WS_URL: network.wsUrl,
    NANO_NETWORK: 'dev',
    NANO_SEED: randomBytes(32).toString('hex'),
    DATA_DIR: await folderFor(t),
  }
  const opened = async (databaseUrl: string, use: (world: World) => Promise<void>, others = {}) => {
    const closers: (() => unknown)[] = []
    const scope: Scope = { after: (close) => void closers.push(close as () => unknown) }
    const world = await createWorld(scope, { databaseUrl, settings: { ...settings, ...others } })
    try {
      await use(world)
      await world.runJobs()
    } finally {
      for (const close of closers) await close()
    }
  }
  const earnings = network.wallet()
  const buyers: Reader[] = []
  let postId = ''
  await opened(database.url, async (world) => {
    const creator = await world.creator()
    await savesAddress(creator, earnings.address)
    postId = await sells(creator)
    for (let count = 0; count < buyerCount; count += 1) buyers.push(await world.reader())
  })
  let backup = await copyTestDatabase(database.url)
  t.after(() => backup.drop())
  return {
    network,
    wallet,
    earnings,
    postId,
    buyers,
    afterBackup: (use, others) => opened(database.url, use, others),
    async backsUp() {
      await backup.drop()
      backup = await copyTestDatabase(database.url)
    },
    afterRestore: (use, others) => opened(backup.url, use, others),
    recovers: () => recoverService(readConfig({ ...settings, DATABASE_URL: backup.url }), createLog('silent'), {}),
    at: (world, buyer) => ({ ...buyer, owner: new Person(world, nextAddress(), buyer.owner.token) }),
    async look(world) {
      const watcher = watchAddresses(world.services)
      await world.services.db
        .updateTable('nano_addresses')
        .set({ next_check_at: new Date(0) })
        .execute()
      while ((await watcher.checkDue()) === 100);
      await watcher.stop()
      await world.runJobs()
    },
  }
}

/** A new order of each buyer. Returns their addresses. */
export async function ordersOf(shop: Shop, world: World, buyers: readonly Reader[]): Promise<string[]> {
  const addresses: string[] = []
  for (const buyer of buyers) addresses.push((await quotes(shop.at(world, buyer), shop.postId)).address)
  return addresses
}

export async function pays({ wallet, network }: Shop, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) await network.untilConfirmed(await wallet.sends(address, price))
}

export async function mayRead(shop: Shop, world: World, buyer: Reader): Promise<boolean> {
  const { status } = await shop.at(world, buyer).owner.calls(getAccess, { params: { postId: shop.postId } })
  return status === 200
}

export async function metricOf({ services }: World, name: string): Promise<number> {
  const [, value] = new RegExp(`^pennypost_${name} (\\S+)$`, 'm').exec(await services.metrics.text()) ?? []
  return Number(value)
}

/** Books, chain and journal agree, and the author has the money of each sale exactly once. */
export async function isRight({ network, earnings }: Shop, world: World, sales: number): Promise<void> {
  const { db, clock } = world.services
  deepEqual(await auditBooks(db, clock.now()), [])
  deepEqual((await auditChain(db, network.client)).findings, [])
  deepEqual(await auditLost(world.services), [])
  const { rows } = await world.services.pool.query(`SELECT amount FROM payouts WHERE role = 'creator'`)
  equal(rows.length, sales)
  const { balance, receivable } = (await network.client.balancesOfMany([earnings.address])).get(earnings.address)!
  equal(
    balance + receivable,
    rows.reduce((sum, row) => sum + BigInt(row.amount), 0n),
  )
  ok(sales === 0 || balance + receivable > 0n)
}

/** Lets the restored database know the starts of processes until now, as in a backup that was made after the last one. */
export async function knowsRuns({ services }: World, runs: string): Promise<void> {
  await services.pool.query(
    'INSERT INTO nano_address_runs SELECT * FROM json_populate_recordset(NULL::nano_address_runs, $1) ON CONFLICT DO NOTHING',
    [runs],
  )
}

export async function runsOf({ services }: World): Promise<string> {
  const { rows } = await services.pool.query('SELECT json_agg(run)::text AS runs FROM nano_address_runs run')
  return rows[0].runs
}
