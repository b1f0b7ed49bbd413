import { deepEqual, equal, match } from 'node:assert/strict'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { folderFor } from '../../test/service-process.ts'
import { until } from '../../test/until.ts'
import type { World } from '../../test/world.ts'
import { auditLost } from '../audit/audit-lost.ts'
import { recover } from './recover.ts'
import { metricOf, openShop, ordersOf, pays, type Shop } from './restore.fixture.ts'
import { readSetAsides, waitingIn } from './set-aside.ts'
import { watchForLoss } from './watch-for-loss.ts'

const everyMs = 20

/** A buyer who came after the backup bought something, and the author was paid: nobody can say for what. */
const sellsToStranger = (shop: Shop) =>
  shop.afterBackup(async (world) => {
    await pays(shop, await ordersOf(shop, world, [await world.reader()]))
    await shop.look(world)
  })

const [missing, recovered, waits, nothing] = [
  'error: records are missing from the database: it was restored or failed over; recovering them',
  'warn: recovered what was missing from the database',
  'some of what is missing from the database cannot be recovered and waits for a person: run pennypost recover',
  'info: nothing is left to recover',
]

/** Looks for losses as a process that has just started does. Returns what that logged. */
async function logOfStart(world: World): Promise<string[]> {
  const lines: string[] = []
  const write = (line: string) => {
    const { level, msg } = JSON.parse(line)
    lines.push(`${pino.levels.labels[level]}: ${msg}`)
  }
  await watchForLoss({ ...world.services, log: pino({ level: 'info' }, { write }) }, { everyMs }).stop()
  return lines
}

test('the log has an error only for what is new and for a person', async (t) => {
  const shop = await openShop(t, 1)
  await shop.afterBackup(async (world) => {
    await ordersOf(shop, world, shop.buyers)
  })
  await shop.afterRestore(async (world) => {
    deepEqual(await logOfStart(world), [missing, recovered])
    deepEqual(await logOfStart(world), [])
  })
  await sellsToStranger(shop)
  await shop.afterRestore(async (world) => {
    deepEqual(await logOfStart(world), [missing, `error: ${waits}`])
    deepEqual(await logOfStart(world), [`warn: ${waits}`])
    await recover(world.services, { isAcknowledging: true })
    deepEqual(await logOfStart(world), [nothing])
  })
})

test('what cannot be recovered is counted until a person acknowledges it, and is a loss only once', async (t) => {
  const shop = await openShop(t, 0)
  await sellsToStranger(shop)
  const waiting = (world: World) => metricOf(world, 'unrecoverable_records')
  const lossAt = (world: World) => metricOf(world, 'database_loss_timestamp_seconds')
  await shop.afterRestore(async (world) => {
    const watcher = watchForLoss(world.services, { everyMs })
    await until('it waits for a person', async () => (await waiting(world)) === 1)
    const foundAt = await lossAt(world)
    await watcher.stop()
    const next = watchForLoss(world.services, { everyMs })
    await next.stop()
    equal(await lossAt(world), foundAt)
    const [finding, ...others] = await auditLost(world.services)
    match(finding!, /waits for a person: nano_\w+ was paid and paid out/)
    deepEqual(others, [])
  })
  await shop.afterRestore(async (world) => {
    const watcher = watchForLoss(world.services, { everyMs })
    await until('the next process knows of it', async () => (await waiting(world)) === 1)
    const { unrecoverable, acknowledged } = await recover(world.services, { isAcknowledging: true })
    deepEqual({ unrecoverable, acknowledged }, { unrecoverable: [], acknowledged: 1 })
    await until('it no longer waits', async () => (await waiting(world)) === 0)
    await watcher.stop()
    equal(await lossAt(world), 0)
    deepEqual(await auditLost(world.services), [])
  })
  await shop.afterRestore(async (world) => {
    const lines: string[] = []
    const { unrecoverable, acknowledged } = await recover(world.services, { onLine: (line) => lines.push(line) })
    deepEqual({ unrecoverable, acknowledged }, { unrecoverable: [], acknowledged: 1 })
    match(lines.join(), /^acknowledged: purchase /)
  })
})

test('what waited for a person and is in the database again is over', async (t) => {
  const shop = await openShop(t, 0)
  await sellsToStranger(shop)
  await shop.afterRestore(async (world) => {
    equal((await recover(world.services)).unrecoverable.length, 1)
  })
  // The database that lives on has all of it.
  await shop.afterBackup(async (world) => {
    const watcher = watchForLoss(world.services, { everyMs })
    await watcher.stop()
    equal(await metricOf(world, 'unrecoverable_records'), 0)
    deepEqual((await recover(world.services)).unrecoverable, [])
  })
})

test('money that cannot be sent back without the journal waits for a person, however often it is looked for', async (t) => {
  const shop = await openShop(t, 1)
  const since = new Date()
  await shop.afterBackup(async (world) => {
    const given = await ordersOf(shop, world, shop.buyers)
    await pays(shop, given)
    await shop.look(world)
    // The author was paid, and more money came to the same address.
    await pays(shop, given)
  })
  await shop.afterRestore(
    async (world) => {
      const { services } = world
      const countWaiting = async () => waitingIn(await readSetAsides(services)).length
      for (const options of [{ since }, { since }, {}]) {
        await recover(services, options)
        equal(await countWaiting(), 1)
      }
      const { unrecoverable, acknowledged } = await recover(services, { isAcknowledging: true })
      deepEqual({ unrecoverable, acknowledged }, { unrecoverable: [], acknowledged: 1 })
      equal(await countWaiting(), 0)
    },
    { DATA_DIR: await folderFor(t) },
  )
})

test('a process that cannot read the journal at its start compares it as soon as it can', async (t) => {
  const shop = await openShop(t, 1)
  await shop.afterBackup(async (world) => {
    await ordersOf(shop, world, shop.buyers)
  })
  await shop.afterRestore(async (world) => {
    const { config, log, pool } = world.services
    const broken = join(config.dataDir, 'journal', '2000-01-01.jsonl')
    await mkdir(broken)
    let warnings = 0
    const watched = Object.assign(Object.create(log), { warn: () => (warnings += 1) })
    const watcher = watchForLoss({ ...world.services, log: watched }, { everyMs })
    await until('it has failed', () => warnings > 0)
    await rm(broken, { recursive: true })
    await until('the order is there', async () => (await pool.query('SELECT FROM orders')).rowCount === 1)
    await watcher.stop()
  })
})

test('an address is not given out again by a process that does not know of the restore', async (t) => {
  const shop = await openShop(t, 3)
  let given: string[] = []
  await shop.afterBackup(async (world) => {
    given = await ordersOf(shop, world, shop.buyers)
  })
  await shop.afterRestore(
    async (world) => {
      const again = await ordersOf(shop, world, shop.buyers)
      deepEqual(
        again.filter((address) => given.includes(address)),
        [],
      )
    },
    { DATA_DIR: await folderFor(t) },
  )
})

test('money of a buyer whom the restored database does not know goes back, unless it was paid out', async (t) => {
  const shop = await openShop(t, 0)
  let given: string[] = []
  await shop.afterBackup(async (world) => {
    const [one, two] = [await world.reader(), await world.reader()]
    given = await ordersOf(shop, world, [one, two])
    await pays(shop, given.slice(0, 1))
    await shop.look(world)
    await pays(shop, given.slice(1))
  })
  await shop.afterRestore(async (world) => {
    const { recovered, returning, unrecoverable } = await recover(world.services)
    deepEqual({ recovered, returning }, { recovered: 0, returning: 1 })
    match(unrecoverable.join(), /was paid and paid out for order .*, whose people are not known/)
    await world.runJobs()
  })
})
